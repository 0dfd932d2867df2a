//! tmp
#[test]
fn write_samples() {
    use crate::{sample, surface::painted};
    let out = std::path::Path::new("/tmp/shots-html/pages");
    std::fs::create_dir_all(out).unwrap();
    for (name, s) in [("all", sample::everything()), ("long", sample::long(200))] {
        let b = painted(&s);
        for (i, p) in b.pages.iter().enumerate() {
            std::fs::write(
                out.join(if i == 0 {
                    format!("{name}.html")
                } else {
                    format!("transcript_x_{}.html", i + 1)
                }),
                p,
            )
            .unwrap();
        }
    }
}
