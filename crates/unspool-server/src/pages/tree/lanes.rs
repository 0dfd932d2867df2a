//! The lines of a graph, computed for each row, so that every row can be painted alone.

use unspool_engine::ops::tree::TreeRow;
use unspool_text::html::Html;

/// The maximum number of lanes; deeper ones share the last one, since a page is not wider.
pub(super) const MOST_LANES: u32 = 8;
/// The width of a lane.
const STEP: u64 = 16;
/// The height of a row's image, which is stretched to the height of the row.
const HEIGHT: u64 = 40;

/// The lines of one row.
pub(super) struct RowLanes {
    /// The lane of the row.
    pub(super) lane: u32,
    /// Lanes that pass the row.
    passing: Vec<u32>,
    /// Whether the lane comes from above.
    from_above: bool,
    /// Whether the lane continues below.
    goes_on: bool,
    /// Whether the row forks off the lane on its left.
    leaves: bool,
}

/// Computes the lines of all rows. Rows of an abandoned branch come before the rows that continue,
/// one lane to the right.
pub(super) fn lanes(rows: &[TreeRow]) -> Vec<RowLanes> {
    let lane = |row: &TreeRow| row.depth.min(MOST_LANES - 1);
    let first: [Option<usize>; MOST_LANES as usize] =
        std::array::from_fn(|own| rows.iter().position(|row| lane(row) as usize == own));
    // From the last row to the first: the lanes that continue below the current row.
    let mut goes_on = [false; MOST_LANES as usize];
    let mut lanes: Vec<RowLanes> = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate().rev() {
        let own = lane(row);
        let passing = (0..own).filter(|lane| goes_on[*lane as usize]).collect();
        let leaves = row.branch.is_some() && row.depth > 0;
        let continues = goes_on[own as usize];
        // The lane comes from rows above, unless this row begins a branch.
        let comes = !leaves && first[own as usize] < Some(at);
        lanes.push(RowLanes { lane: own, passing, from_above: comes, goes_on: continues, leaves });
        goes_on[own as usize] = comes;
        // No lane to the right passes a row.
        for deeper in &mut goes_on[own as usize + 1..] {
            *deeper = false;
        }
        if leaves {
            goes_on[own as usize - 1] = true;
        }
    }
    lanes.reverse();
    lanes
}

impl RowLanes {
    /// Paints the lines; the node is painted on top of them.
    pub(super) fn paint(&self, width: u32, html: &mut Html) {
        let own = middle(self.lane);
        html.tag("<svg class=\"lanes\" aria-hidden=\"true\" preserveAspectRatio=\"none\" ");
        html.tag("viewBox=\"0 0 ").number(u64::from(width) * STEP);
        html.tag(" ").number(HEIGHT).tag("\">");
        for lane in &self.passing {
            line(*lane, 0, HEIGHT, html);
        }
        if self.leaves {
            let left = own - STEP;
            html.tag("<path d=\"M").number(left).tag(" 0C").number(left).tag(" ");
            html.number(HEIGHT / 2).tag(" ").number(own).tag(" 0 ").number(own);
            html.tag(" ").number(HEIGHT / 2).tag("\"/>");
        }
        if self.from_above {
            line(self.lane, 0, HEIGHT / 2, html);
        }
        if self.goes_on {
            line(self.lane, HEIGHT / 2, HEIGHT, html);
        }
        html.tag("</svg>");
    }
}

/// Returns the middle of a lane.
fn middle(lane: u32) -> u64 {
    u64::from(lane) * STEP + STEP / 2
}

fn line(lane: u32, from: u64, to: u64, html: &mut Html) {
    html.tag(if lane == 0 { "<path class=\"main\" d=\"M" } else { "<path d=\"M" });
    html.number(middle(lane)).tag(" ").number(from);
    html.tag("V").number(to).tag("\"/>");
}

#[cfg(test)]
mod tests {
    use unspool_engine::ops::tree::{TreeBranch, TreeRowKind};

    use super::*;

    fn row(depth: u32, branch: Option<TreeBranch>) -> TreeRow {
        TreeRow {
            depth,
            kind: TreeRowKind::Turn,
            entry: None,
            time: None,
            text: String::new(),
            active: depth == 0,
            messages: 0,
            calls: 0,
            said: Vec::new(),
            agents: Vec::new(),
            paths: Vec::new(),
            ends_active: false,
            forks: 0,
            branch,
        }
    }

    #[test]
    fn a_way_that_was_left_begins_at_the_lane_next_to_it() {
        let left = Some(TreeBranch::Rewind);
        let rows = [row(0, None), row(1, left), row(1, None), row(1, left), row(0, None)];
        let drawn: Vec<_> = lanes(&rows)
            .into_iter()
            .map(|row| (row.passing, row.from_above, row.goes_on, row.leaves))
            .collect();
        let expected = [
            (vec![], false, true, false),
            (vec![0], false, true, true),
            (vec![0], true, false, false),
            (vec![0], false, false, true),
            (vec![], true, false, false),
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn deep_forks_share_the_last_lane() {
        let rows: Vec<TreeRow> =
            (0..40).map(|depth| row(depth, (depth > 0).then_some(TreeBranch::Retry))).collect();
        let drawn = lanes(&rows);
        assert!(drawn.iter().all(|row| row.lane < MOST_LANES));
    }
}
