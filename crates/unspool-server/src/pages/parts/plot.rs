//! Shares, and attributes of images that are as wide as the page: positions are shares of the width,
//! heights are pixels.

use unspool_text::html::Html;

/// Returns a part in percent of the whole, rounded down. Numbers from a log may be of any size.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    let percent = u128::from(part) * 100 / u128::from(whole.max(1));
    u64::try_from(percent).unwrap_or(u64::MAX)
}

/// Writes an attribute whose value is a share of the width, with two decimals: ` x="12.34%"`.
pub(crate) fn share(name: &'static str, share: f64, html: &mut Html) {
    let hundredths = (share.clamp(0.0, 1.0) * 10_000.0).round() as u64;
    html.tag(" ").tag(name).tag("=\"").number(hundredths / 100).tag(".");
    html.tag_if(hundredths % 100 < 10, "0");
    html.number(hundredths % 100).tag("%\"");
}

/// Writes an attribute whose value is a number of pixels.
pub(crate) fn pixels(name: &'static str, value: u64, html: &mut Html) {
    html.tag(" ").tag(name).tag("=\"").number(value).tag("\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_of_any_numbers_are_numbers() {
        assert_eq!(percent(50_000, 200_000), 25);
        assert_eq!(percent(u64::MAX, u64::MAX), 100);
        assert_eq!(percent(u64::MAX, 0), u64::MAX);
    }

    #[test]
    fn shares_have_two_decimals() {
        let written = |value: f64| {
            let mut html = Html::new();
            share("x", value, &mut html);
            html.as_str().to_owned()
        };
        assert_eq!(written(0.0), " x=\"0.00%\"");
        assert_eq!(written(0.1234), " x=\"12.34%\"");
        assert_eq!(written(0.0105), " x=\"1.05%\"");
        assert_eq!(written(7.0), " x=\"100.00%\"");
        assert_eq!(written(f64::NAN), " x=\"0.00%\"");
    }
}
