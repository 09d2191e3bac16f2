// `annals completion`, and `annals complete`, which the scripts of the shells ask.
import { Argument, type Command } from 'commander'
import type { Build } from '../remote/command.js'
import { completionsOf } from './completions.js'
import { scripts } from './scripts.js'

const EXAMPLES = `
Examples:
  annals completion bash > /etc/bash_completion.d/annals
  annals completion zsh > "\${fpath[1]}/_annals"
  annals completion fish > ~/.config/fish/completions/annals.fish
  source <(annals completion bash)                     for this shell only`

export const completion: Build = (command, { out }) => {
  command
    .description('Print the script with which a shell completes the commands and flags of annals.')
    .addHelpText('after', EXAMPLES)
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .action((shell: string) => void out.write(scripts[shell] ?? ''))
}

const programOf = (command: Command): Command => command.parent ?? command

export const complete: Build = (command, { out }) => {
  command
    .description('Print the completions of a command line, for `annals completion`.')
    .addHelpText('after', '\nExample:\n  annals complete -- kv g')
    .argument('[words...]', 'the words after annals, the last of which is the one to complete')
    .action((words: readonly string[]) => {
      for (const { word, about } of completionsOf(programOf(command), words)) out.write(`${word}\t${about}\n`)
    })
}
