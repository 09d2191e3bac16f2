// `annals intention get`, `list`, `match` and `check`
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { needed, on } from '../remote/flags.js'
import { filtering } from '../remote/listing.js'
import { fields, safe, table } from '../remote/output.js'
import { actionOf, destinationOf, EXACT, parties, sourceOf, type Intention } from './intentions.js'

export const intentionGet = remoteCommand({
  summary: 'Show the intention of a source and a destination.',
  examples: ['annals intention get web db'],
  args: parties,
  run: async ({ read, out, args }) =>
    out.show(await read<Intention>(EXACT, args), found =>
      fields([
        ['ID', found.ID],
        ['Source', sourceOf(found)],
        ['Destination', destinationOf(found)],
        ['Action', actionOf(found)],
        ['Description', found.Description],
        ['Precedence', found.Precedence]
      ])
    )
})

export const intentionList = remoteCommand({
  summary: 'List intentions, by precedence.',
  examples: ['annals intention list', `annals intention list -filter 'SourceName == "web"'`],
  flags: filtering,
  run: async ({ read, out, flags }) =>
    out.show(
      await read<readonly Intention[]>('/v1/connect/intentions', { filter: flags.filter }),
      intentions =>
        table(
          ['Source', 'Action', 'Destination', 'Precedence'],
          intentions.map(each => [sourceOf(each), actionOf(each), destinationOf(each), each.Precedence])
        )
    )
})

export const intentionMatch = remoteCommand({
  summary: 'List the intentions that bear on a service, the deciding ones first.',
  examples: ['annals intention match db', 'annals intention match -source web'],
  args: { service: needed('the service') },
  flags: {
    source: on('the service is the one that connects'),
    destination: on('the service is connected to; so it is unless --source is given')
  },
  run: async ({ read, out, args, flags }) => {
    if (flags.source && flags.destination)
      throw new UsageError('--source and --destination exclude each other')
    const query = { by: flags.source ? 'source' : 'destination', name: args.service }
    const found = await read<Readonly<Record<string, readonly Intention[]>>>(
      '/v1/connect/intentions/match',
      query
    )
    out.show(Object.values(found).flat(), intentions =>
      intentions
        .map(each => safe(`${sourceOf(each)} => ${destinationOf(each)} (${actionOf(each)})`))
        .join('\n')
    )
  }
})

export const intentionCheck = remoteCommand({
  summary: 'Tell whether a service may connect to another.',
  about:
    'Ends with 0 when it may, and with 1 when it may not. What depends on the request, by permissions, is denied here.',
  examples: ['annals intention check web db'],
  args: parties,
  run: async ({ read, out, args }) => {
    const answer = await read<{ readonly Allowed: boolean }>('/v1/connect/intentions/check', args)
    out.show(answer, ({ Allowed }) => (Allowed ? 'Allowed' : 'Denied'))
    if (!answer.Allowed) throw new Failed(`${args.source} may not connect to ${args.destination}`)
  }
})
