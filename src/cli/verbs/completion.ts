import { choice, needed } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

/** Scripts that ask windrow for the words that may come next; paths are completed beside them. */
const SCRIPTS = {
  bash: `_windrow() {
  local words
  words=$(windrow --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}")
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _windrow windrow`,
  zsh: `#compdef windrow
_windrow() {
  local -a found
  found=("\${(@f)$(windrow --get-yargs-completions "\${words[@]:0:$CURRENT}")}")
  compadd -a found
  _files
}
compdef _windrow windrow`,
  fish: `function _windrow
  windrow --get-yargs-completions (commandline -opc) (commandline -ct)
end
complete -c windrow -a '(_windrow)'`,
} as const;

export const completionOptions = {
  options: {
    shell: needed(choice('bash, zsh or fish', ['bash', 'zsh', 'fish'])),
  },
  examples: {
    'source <(windrow completion bash)': 'complete verbs and options in this shell',
  },
};

/** `windrow completion SHELL`: a script that the shell reads at its start. */
export async function completionVerb({
  shell,
}: {
  readonly shell: keyof typeof SCRIPTS;
}): Promise<VerbResult> {
  const script = SCRIPTS[shell];
  return { document: { shell, script }, lines: [script], exitCode: 0 };
}
