export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The first word of a request from these scripts to the program. */
export const REQUEST = '__complete'
/** The answer if the shell should complete file names. */
export const FILES = ':files'

/** A script for each shell. It asks the program after each Tab, so it stays the same when commands change. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `_daybook() {
  local word rest words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  [ "\${words[-1]}" = '=' ] && words+=('')
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    if [ "$word" = '${FILES}' ]; then
      compopt -o default
      return
    fi
    COMPREPLY+=("$word")
  done < <(daybook ${REQUEST} -- "\${words[@]}" 2>/dev/null)
}
complete -F _daybook daybook
`,
  zsh: `#compdef daybook
_daybook() {
  local line word about
  local -a words_found
  for line in "\${(@f)$(daybook ${REQUEST} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == '${FILES}' ]]; then
      _files
      return
    fi
    word=\${\${line%%$'\\t'*}//:/\\\\:} about=\${line#*$'\\t'}
    words_found+=("$word\${about:+:$about}")
  done
  _describe daybook words_found
}
compdef _daybook daybook
`,
  fish: `function __daybook_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (daybook ${REQUEST} -- $words[2..-1] 2>/dev/null)
  if test "$found" = '${FILES}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c daybook -f -a '(__daybook_complete)'
`,
}
