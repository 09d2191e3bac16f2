import 'reflect-metadata'
import type { Command } from 'commander'
import { verifyOrFail, type Console } from '../../../clients/cli/console.js'
import { withExamples, withTrustedInputs } from '../log-options.js'
import type { TrustedInputOptions } from './trusted-inputs.js'

interface VerifyOptions extends TrustedInputOptions {
  readonly show?: true
}

const EXAMPLES = [
  'annals log export --evidence --key web/port > port.evidence            beside the server',
  'annals evidence verify port.evidence --key "$(cat log.vkey)" --show    anywhere'
]

export const buildEvidence = (command: Command, console: Console): void => {
  withTrustedInputs(command.command('verify'))
    .description(
      'Verify a bundle of `annals log export --evidence`: the signature of its checkpoint, and the proof that the log has each of its\ncommits unchanged. This needs the public key of the log only, and no server. The exit code is 0 if all checks succeed, 1 if one fails,\nand 2 if the bundle cannot be verified.'
    )
    .argument('<file>', 'file of the bundle; - for standard input')
    .option('--show', 'print the verified commits')
    .action((file: string, { show, ...outside }: VerifyOptions) =>
      verifyOrFail(async () => {
        const { verifyEvidence } = await import('./verify.js')
        await verifyEvidence(console, { file, outside, withCommits: show === true })
      })
    )
  withExamples(command, EXAMPLES)
}
