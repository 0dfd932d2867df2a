//! `unspool serve`

mod drive;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use unspool_server::{
    Access, AccessKey, ConnectionLimits, DriveSetup, OneTimeLink, ServerNotice, ServerSettings,
    TokenPolicy, qr_lines, run as serve,
};

use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::opener::browser;
use crate::server_address::{self, ServerAddress};
use crate::settings::Settings;
use crate::ui::Ui;

/// Show every session in a browser, live
///
/// Serves pages and an API on this machine: what needs you, what is running, what was said. Prints
/// the address and a link that lets one browser in. Ctrl-C ends it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool serve --open              start, and open the browser\n  \
unspool serve --demo --no-token   look around in made-up sessions\n  \
unspool serve --link              print a new link to the server that is running\n  \
unspool serve --bind 0.0.0.0      for a phone in the same network, with a QR code\n  \
unspool serve --drive --open      also run sessions from the browser\n\n\
Programs send the token: Authorization: Bearer TOKEN. UNSPOOL_TOKEN sets it.")]
pub(crate) struct ServeArgs {
    /// Listen on this port; 0 picks a free one [default: 7717, or the next free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Listen on this address instead of loopback
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Open the browser
    #[arg(long)]
    open: bool,

    /// Print a new link to the running server, or start one; also as a QR code for a network
    /// address
    #[arg(long)]
    link: bool,

    /// Let every user of this machine read, without a token
    #[arg(long)]
    no_token: bool,

    /// Let pages and the API also start, resume and answer sessions
    #[arg(long, conflicts_with_all = ["no_token", "link"])]
    drive: bool,

    /// Allow runs that bypass permissions: their client does everything without asking
    #[arg(long, requires = "drive")]
    allow_bypass: bool,

    /// Also accept requests addressed to this host name or address (repeatable)
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
}

pub(crate) fn run(args: &ServeArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    if args.no_token && !args.bind.is_loopback() {
        return wrong_use(
            "everybody in the network could read your sessions: --no-token is only for \
                     an address of loopback",
        );
    }
    let drive = args.drive(settings)?;
    let context = CommandContext::for_server(settings, ui)?;
    let access = access(&context, settings)?;
    if args.link
        && let Some(folder) = &settings.data
        && let Some(place) = ServerAddress::of_running(folder, args.port)
    {
        tell_link(&place, &new_link(&access)?, ui);
        return Ok(RunOutcome::Done);
    }
    let listener = server_address::listen(args.bind, args.port)?;
    let place = ServerAddress::of(&listener)?;
    ui.plain_note(&format!("listening on {}", place.url("")));
    let link = if args.no_token { None } else { Some(new_link(&access)?) };
    print_address(args, &place, link.as_ref(), ui);
    let way = link.as_ref().map_or("/", OneTimeLink::way);
    let _handed =
        if args.open { browser::open(&place.url(way), context.settings, ui)? } else { None };
    serve_until_stopped(args, drive, access, context, listener, &place)
}

fn serve_until_stopped(
    args: &ServeArgs,
    drive: Option<DriveSetup>,
    access: Access,
    context: CommandContext<'_>,
    listener: TcpListener,
    place: &ServerAddress,
) -> Result<RunOutcome> {
    let home_label = context.home_labels();
    let logs_home = context.logs_home();
    let data = context.library.settings().data.clone();
    let (library, _demo) = context.into_library();
    let address: SocketAddr = listener.local_addr()?;
    let _notice = data.and_then(|data| ServerNotice::post(&data, address).ok());
    let mut host_names = args.host_name.clone();
    host_names.extend(place.host_name());
    let settings = ServerSettings {
        library: Arc::new(library),
        access,
        tokens: if args.no_token { TokenPolicy::Open } else { TokenPolicy::Required },
        host_names,
        limits: ConnectionLimits::default(),
        home_label,
        logs_home,
        drive,
    };
    serve(settings, listener, unspool_server::stop_signal())?;
    Ok(RunOutcome::Done)
}

/// Opens the tokens: in the data folder, or in memory for the demo.
fn access(context: &CommandContext<'_>, settings: &Settings) -> Result<Access> {
    let chosen = settings.token.clone().map(AccessKey::new);
    if context.is_demo() || settings.data.is_none() {
        return Ok(Access::in_memory(chosen)?);
    }
    let folder = context.library.data_folder()?;
    Access::in_folder(folder, chosen).context("the token cannot be kept")
}

fn new_link(access: &Access) -> Result<OneTimeLink> {
    Ok(access.new_link(crate::context::now())?)
}

/// Prints how to open the pages.
fn print_address(args: &ServeArgs, place: &ServerAddress, link: Option<&OneTimeLink>, ui: &Ui) {
    if !args.bind.is_loopback() {
        ui.warning(
            "what goes over the network can be read there; `ssh -L` or `tailscale serve` hide it",
        );
    }
    match link {
        Some(link) if args.link || !args.bind.is_loopback() => tell_link(place, link, ui),
        Some(link) => {
            let words = format!("open {} (it works once)", place.url(link.way()));
            ui.plain_note(&words);
        }
        None => ui.note("every user of this machine may look"),
    }
}

/// Prints a link, with a QR code if a phone can reach the server.
fn tell_link(place: &ServerAddress, link: &OneTimeLink, ui: &Ui) {
    let url = place.url(link.way());
    ui.plain_note(&format!("open {url} (it works once)"));
    if place.host_name().is_some() {
        for line in qr_lines(&url).unwrap_or_default() {
            ui.plain_note(&line);
        }
    }
}
