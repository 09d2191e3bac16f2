// `annals intention create` and `annals intention delete`
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { on, text } from '../remote/flags.js'
import { ifThere } from '../remote/if-there.js'
import { EXACT, parties } from './intentions.js'

export const intentionCreate = remoteCommand({
  summary: 'Allow or deny a service to connect to another.',
  about:
    'Ends with 1, and changes nothing, when there is an intention of these two already, unless --replace is given.',
  examples: [
    'annals intention create web db',
    'annals intention create -deny "*" db',
    'annals intention create -replace -deny web db'
  ],
  args: parties,
  flags: {
    allow: on('allow connections; so it is unless --deny is given'),
    deny: on('deny them'),
    description: text('text', 'what it is for'),
    replace: on('put it in place of the one that is there')
  },
  run: async ({ read, send, out, args, flags }) => {
    const { allow, deny, description, replace } = flags
    if (allow && deny) throw new UsageError('--allow and --deny exclude each other')
    if (!replace && (await ifThere(read(EXACT, { ...args }))) !== undefined)
      throw new Failed(
        `there is an intention of ${args.source} and ${args.destination}: --replace replaces it`
      )
    const Action = deny ? 'deny' : 'allow'
    await send('PUT', EXACT, { query: { ...args }, body: { Action, Description: description } })
    out.done(`Created: ${args.source} => ${args.destination} (${Action})`)
  }
})

export const intentionDelete = remoteCommand({
  summary: 'Delete the intention of a source and a destination.',
  about: 'One that is not there is no error.',
  examples: ['annals intention delete web db'],
  args: parties,
  run: async ({ send, out, args }) => {
    await send('DELETE', EXACT, { query: { ...args } })
    out.done(`Intention deleted: ${args.source} => ${args.destination}`)
  }
})
