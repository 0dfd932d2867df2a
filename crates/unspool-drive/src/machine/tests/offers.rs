//! Tests of the client's menu and of file suggestions.

use serde_json::json;

use super::*;

fn command(name: &str) -> serde_json::Value {
    json!({ "name": name, "description": "does it", "argumentHint": "[x]" })
}

/// Returns the menu that is recorded.
fn written(steps: &[HostStep]) -> Option<ClientMenu> {
    steps.iter().find_map(|step| match step {
        HostStep::Store(StoreChange::Menu(_, menu)) => Some(menu.as_ref().clone()),
        _ => None,
    })
}

fn names(menu: &ClientMenu) -> Vec<&str> {
    let commands = menu.commands.iter();
    commands.map(|command| command.name.as_str()).collect()
}

fn replies(steps: &[HostStep]) -> Vec<(ReplyTo, &HostReply)> {
    fn reply(step: &HostStep) -> Option<(ReplyTo, &HostReply)> {
        match step {
            HostStep::Reply(to, reply) => Some((*to, reply)),
            _ => None,
        }
    }
    steps.iter().filter_map(reply).collect()
}

#[test]
fn commands_and_models_are_written_down_and_replaced_when_they_change() {
    let mut at = MachineFixture::new();
    at.take(HostEvent::Started);
    let model = json!({ "value": "opus", "displayName": "Opus" });
    let offers = json!({
        "session_state": "idle", "models": [model, { "displayName": "no value" }],
        "commands": [command("compact"), 7, { "name": "bare" }],
    });
    let answer = success("unspool-1", &offers);
    let menu = written(&at.say(&answer)).expect("a menu");
    assert_eq!(names(&menu), ["compact", "bare"]);
    assert_eq!(menu.commands[0].argument_hint, "[x]");
    assert_eq!(menu.models.len(), 1);
    assert_eq!(menu.models[0].name, "Opus");
    let changed = |commands: serde_json::Value| json!({ "type": "system", "subtype": "commands_changed", "commands": commands });
    let same = json!([command("compact"), { "name": "bare" }]);
    assert_eq!(written(&at.say(&changed(same))), None);
    assert_eq!(written(&at.say(&changed(json!("none")))), None);
    let menu = written(&at.say(&changed(json!([command("fix")])))).expect("a menu");
    assert_eq!(names(&menu), ["fix"]);
    assert_eq!(menu.models.len(), 1, "models stay");
}

/// Requests files; returns the id of the client's request, or the reason of the refusal.
fn suggest(at: &mut MachineFixture, to: u64) -> Result<String, String> {
    let query = "src/".to_owned();
    let request = HostRequest::SuggestFiles { query };
    let steps = at.take(HostEvent::Asked(ReplyTo(to), Box::new(request)));
    match replies(&steps).as_slice() {
        [(_, HostReply::Refused { reason })] => Err(reason.clone()),
        [] => {
            let said = said(&steps);
            assert_eq!(said[0]["request"]["subtype"], "file_suggestions");
            assert_eq!(said[0]["request"]["query"], "src/");
            Ok(said[0]["request_id"].as_str().expect("an id").to_owned())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_caller_that_asks_for_files_is_answered_when_the_client_is_done() {
    let mut at = MachineFixture::new();
    at.take(HostEvent::Started);
    suggest(&mut at, 1).expect_err("the client is not ready");
    at.say(&ready());
    let id = suggest(&mut at, 2).expect("a question");
    let other = suggest(&mut at, 3).expect("a question");
    let found = json!([{ "path": "src/a.rs", "score": 1 }, { "path": "src/b/" }]);
    let answer = success(id, &json!({ "suggestions": found }));
    let files = vec!["src/a.rs".to_owned(), "src/b/".to_owned()];
    assert_eq!(replies(&at.say(&answer)), [(ReplyTo(2), &HostReply::Files { files })]);
    let refusal = json!({ "type": "control_response", "response": {
        "subtype": "error", "request_id": other, "error": "unsupported",
    } });
    let reason = "unsupported".to_owned();
    assert_eq!(replies(&at.say(&refusal)), [(ReplyTo(3), &HostReply::Refused { reason })]);
    assert_eq!(replies(&at.say(&answer)), [], "it was answered before");
}

#[test]
fn questions_that_the_client_leaves_are_few_and_end_with_it() {
    let mut at = MachineFixture::idle();
    let asked = (0..10).filter(|to| suggest(&mut at, *to).is_ok()).count();
    assert_eq!(asked, 8);
    let steps =
        at.take(HostEvent::Gone(ClientGone { code: Some(0), signal: None, survivors: Vec::new() }));
    assert_eq!(replies(&steps).len(), 8);
}
