# Completions of unspool for bash. Made by `unspool completions bash`.
_unspool() {
    local line
    local -a words=("${COMP_WORDS[@]:0:COMP_CWORD}" "$2")
    # bash asks with an empty word where the cursor is after a sign that it splits words at.
    [[ ${COMP_WORDS[COMP_CWORD]} == "=" ]] && words[COMP_CWORD]="="
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(unspool __complete bash -- "${words[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -o bashdefault -o default -F _unspool unspool 2>/dev/null ||
    complete -o bashdefault -o default -F _unspool unspool
