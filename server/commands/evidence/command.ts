import 'reflect-metadata'
import type { Command } from 'commander'
import { verifyOrFail, type Console } from '../../../clients/cli/console.js'
import { withTrustedInputs } from '../log-options.js'
import type { TrustedInputOptions } from './trusted-inputs.js'

interface VerifyOptions extends TrustedInputOptions {
  readonly show?: true
}

const EXAMPLES = `
Examples:
  annals log export --evidence --key web/port > port.evidence            beside the server
  annals evidence verify port.evidence --key "$(cat log.vkey)" --show    anywhere`

export const buildEvidence = (command: Command, console: Console): void => {
  command.addHelpText('after', EXAMPLES)
  withTrustedInputs(command.command('verify'))
    .description(
      'Check a bundle that `annals log export --evidence` has written: that the log has signed the checkpoint in it, and that every commit\nin it is one of that log, word for word. Needs the public key of the log, and neither the log, its server nor any secret. Ends with 0\nwhen all holds, 1 when something does not, and 2 when it could not be tried.'
    )
    .argument('<file>', 'the bundle; - for standard input')
    .option('--show', 'print the commits that were proved')
    .action((file: string, { show, ...outside }: VerifyOptions) =>
      verifyOrFail(async () => {
        const { verifyEvidence } = await import('./verify.js')
        await verifyEvidence(console, { file, outside, withCommits: show === true })
      })
    )
}
