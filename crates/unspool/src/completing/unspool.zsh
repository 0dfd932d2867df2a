#compdef unspool
# Completions of unspool for zsh. Made by `unspool completions zsh`.
_unspool() {
    local line
    local -a typed folders others
    typed=("${(@Q)words[1,CURRENT]}")
    while IFS= read -r line; do
        if [[ ${line%%:*} == */ ]]; then
            folders+=("$line")
        else
            others+=("$line")
        fi
    done < <(unspool __complete zsh -- "${typed[@]}" 2>/dev/null)
    if (( ! ${#folders} && ! ${#others} )); then
        _files
        return
    fi
    (( ${#others} )) && _describe -V 'unspool' others
    (( ${#folders} )) && _describe -V 'folder' folders -S ''
    return 0
}
if [[ ${funcstack[1]} == _unspool ]]; then
    _unspool "$@"
else
    compdef _unspool unspool
fi
