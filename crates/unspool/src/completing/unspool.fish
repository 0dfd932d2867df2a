# Completions of unspool for fish. Made by `unspool completions fish`.
function __unspool_complete
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -l found (unspool __complete fish -- (commandline -opc) $current 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path $current
    end
end
complete --command unspool --no-files --keep-order --arguments '(__unspool_complete)'
