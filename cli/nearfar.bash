# bash completion for nearfar. The names come from the command itself (`nearfar help --words`), so they are never out of date.

_nearfar()
{
    local command=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} option= words
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$("$command" help --words 2>/dev/null)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    if [[ $cur == = ]]; then # bash parts --name=value at the sign
        option=$previous cur=
    elif [[ $previous == = ]]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $previous == --* ]] && "$command" help --words "${COMP_WORDS[1]}" 2>/dev/null | grep -qxF -- "$previous="; then
        option=$previous
    fi
    if [[ -n $option ]]; then
        words=$("$command" help --words "${COMP_WORDS[1]}" "${option#--}" 2>/dev/null)
    else
        words=$("$command" help --words "${COMP_WORDS[1]}" 2>/dev/null)
        [[ ${COMP_WORDS[1]} == help ]] && words+=" $("$command" help --words 2>/dev/null)"
    fi
    if [[ -n $option && -z $words ]] || [[ -z $option && $cur != -* && ${COMP_WORDS[1]} != generate && ${COMP_WORDS[1]} != bench && ${COMP_WORDS[1]} != help ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
        return
    fi
    [[ -z $option && $cur != -* ]] && words=$(grep -v '^--' <<<"${words// /$'\n'}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _nearfar nearfar
