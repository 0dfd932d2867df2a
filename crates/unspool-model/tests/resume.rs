//! The active path is what the real client resumed.
use serde_json::Value;
use unspool_model::conversation::Conversation;
use unspool_model::entry::{BlockKind, MessageKind};
use unspool_model::graph::{Rule, Scope};
use unspool_model::json::Cursor;
use unspool_model::log::Log;

fn text_of(line: &[u8]) -> String {
    let v: Value = serde_json::from_slice(line).unwrap();
    let c = &v["message"]["content"];
    if let Some(s) = c.as_str() { return s.to_owned(); }
    c.as_array().map(|a| a.iter().filter_map(|b| b["text"].as_str()).collect::<Vec<_>>().join("")).unwrap_or_default()
}

#[test]
fn leaf_cases() {
    let root = std::path::Path::new("/work/shared/reallogs");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(root.join("cases.json")).unwrap()).unwrap();
    let mut bad = 0; let mut n = 0;
    for case in cases {
        let Some(sent) = case.get("sent") else { continue };
        let (v, s) = (case["version"].as_str().unwrap(), case["scenario"].as_str().unwrap());
        let dir = root.join(v).join(s).join("input/projects");
        let Ok(rd) = std::fs::read_dir(&dir) else { println!("no dir {dir:?}"); continue };
        for p in rd { let p = p.unwrap().path(); for f in std::fs::read_dir(p).unwrap() { let f = f.unwrap().path();
            if f.extension().is_none_or(|e| e != "jsonl") { continue }
            let bytes = std::fs::read(&f).unwrap();
            let log = Log::read(&bytes);
            let rule = if v == "2.1.325" { Rule::Current } else { Rule::NewestTime };
            let conv = Conversation::new(&log, rule, Scope::Session);
            let mut got = vec![];
            if let Some(path) = conv.paths.active() {
                let view = conv.context(path);
                for m in &view.messages {
                    let node = view.nodes(m)[0];
                    let e = conv.graph.entry(&log, node);
                    let t = text_of(&bytes[e.span.start as usize..e.span.end() as usize]);
                    match m.kind { MessageKind::Prompt => got.push(format!("U:{t}")),
                      MessageKind::Answer => { let q = t.split("You said: '").nth(1).map(|x| x.trim_end_matches('\'').to_owned()).unwrap_or(t); got.push(format!("A:{q}")) }
                      _ => {} }
                }
            }
            let want: Vec<String> = sent.as_array().map(|a| a.iter().map(|x| x.as_str().unwrap().to_owned()).filter(|x| x != "U:probe" && x != "A:No response requested." && x != "U:hi").collect()).unwrap_or_default();
            n += 1;
            if want != got { bad += 1; println!("{v} {s} want {want:?} got {got:?}"); }
        }}
    }
    println!("{n} cases {bad} bad");
    // vectors
    let vec: Value = serde_json::from_slice(&std::fs::read("/work/shared/oracle/sdk-vectors.json").unwrap()).unwrap();
    for (name, c) in vec["chain"].as_object().unwrap() {
        let bytes: String = c["entries"].as_array().unwrap().iter().map(|e| format!("{e}\n")).collect();
        let log = Log::read(bytes.as_bytes());
        let conv = Conversation::new(&log, Rule::Sdk, Scope::Session);
        let got: Vec<String> = conv.paths.active().map(|p| conv.paths.nodes(&conv.graph, p).iter().map(|&n| log.text(conv.graph.entry(&log, n).uuid.unwrap()).to_owned()).collect()).unwrap_or_default();
        let want: Vec<String> = c["chain"].as_array().unwrap().iter().map(|x| x.as_str().unwrap().to_owned()).collect();
        if got != want { println!("VEC {name} want {want:?} got {got:?}"); }
        let conv = Conversation::new(&log, Rule::Current, Scope::Session);
        for p in &conv.paths.paths { let got: Vec<&str> = conv.paths.nodes(&conv.graph, p).iter().map(|&n| log.text(conv.graph.entry(&log, n).uuid.unwrap())).collect(); println!("  {name} {} {} {got:?}", p.index, p.active); }
    }
    for (name, c) in vec["first_prompt"].as_object().unwrap() {
        let log = Log::read(c["head"].as_str().unwrap().as_bytes());
        let got = log.facts.first_prompt_sdk.clone().or(log.facts.first_command.clone()).unwrap_or_default();
        if *got != *c["out"].as_str().unwrap() { println!("FP {name} want {} got {got}", c["out"]); }
    }
    let _ = (BlockKind::Text, Cursor::new(b""));
}
