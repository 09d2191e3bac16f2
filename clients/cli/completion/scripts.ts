// The scripts of the shells. Each asks `annals complete`, and offers files where that knows nothing.

const bash = `# Completion of annals for bash.
_annals() {
  local IFS=$'\\n'
  COMPREPLY=($(annals complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _annals annals
`

const zsh = `#compdef annals
# Completion of annals for zsh.
_annals() {
  local line
  local -a found
  for line in "\${(@f)$(annals complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe annals found; else _files; fi
}
if [[ $funcstack[1] == _annals ]]; then _annals "$@"; else compdef _annals annals; fi
`

const fish = `# Completion of annals for fish.
function __annals_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  annals complete -- $words[2..] "$current" 2>/dev/null
end
complete -c annals -n 'test (count (__annals_complete)) -gt 0' -f -a '(__annals_complete)'
`

/** By the name of the shell. */
export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
