import type { Schemas } from '../../typescript/typed/index.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { serviceNames } from '../completion/sources.js'
import { UsageError, Failed, undefinedIfMissing } from '../console.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { required, on, text } from '../remote/flags.js'
import { filtering } from '../remote/listing.js'
import { details, safe, table } from '../remote/output.js'

type Intention = Schemas['Intention']

const parties = {
  source: required('service that connects', serviceNames),
  destination: required('service that is connected to', serviceNames)
}

const EXACT = '/v1/connect/intentions/exact'

const named = (partition: string | undefined, namespace: string, name: string): string => {
  if (partition !== undefined && partition !== 'default') return `${partition}/${namespace}/${name}`
  return namespace === 'default' ? name : `${namespace}/${name}`
}

const rowOf = (intention: Intention) => {
  const { SourcePartition, SourceNS, SourceName, DestinationNS, DestinationName } = intention
  const { Action, Permissions = [] } = intention
  return {
    ...intention,
    Source: named(SourcePartition, SourceNS, SourceName),
    Destination: named(undefined, DestinationNS, DestinationName),
    Action: Action || `${Permissions.length} permissions`
  }
}

const create = remoteCommand({
  summary: 'Allow or deny a service to connect to another.',
  about: 'The exit code is 1 if an intention for both services exists, unless --replace is given.',
  examples: [
    'annals intention create web db',
    'annals intention create -deny "*" db',
    'annals intention create -replace -deny web db'
  ],
  args: parties,
  flags: {
    allow: on('allow connections, the default'),
    deny: on('deny connections'),
    description: text('text', 'description of the intention'),
    replace: on('replace an existing intention')
  },
  run: async ({ read, write, out, args, flags }) => {
    const { allow, deny, description, replace } = flags
    if (allow && deny) throw new UsageError('--allow and --deny exclude each other')
    if (!replace && (await undefinedIfMissing(read(EXACT, args))) !== undefined)
      throw new Failed(
        `there is an intention of ${args.source} and ${args.destination}: --replace replaces it`
      )
    const Action = deny ? 'deny' : 'allow'
    await write('put', EXACT, { Action, Description: description }, args)
    out.note(`Created: ${args.source} => ${args.destination} (${Action})`)
  }
})

const remove = remoteCommand({
  summary: 'Delete the intention of a source and a destination.',
  about: DELETION,
  examples: ['annals intention delete web db'],
  args: parties,
  flags: deletionFlags,
  run: run => {
    const { read, write, args } = run
    const called = `${args.source} => ${args.destination}`
    return deleteIfPresent(run, `intention ${called}`, async () => {
      await read(EXACT, args)
      await write('delete', EXACT, undefined, args)
      return `Intention deleted: ${called}`
    })
  }
})

const get = showCommand({
  summary: 'Show the intention of a source and a destination.',
  examples: ['annals intention get web db'],
  args: parties,
  path: EXACT,
  parameters: ({ args }) => args,
  asText: found =>
    details(['ID', 'Source', 'Destination', 'Action', 'Description', 'Precedence'], rowOf(found))
})

const list = showCommand({
  summary: 'List intentions, by precedence.',
  examples: ['annals intention list', `annals intention list -filter 'SourceName == "web"'`],
  flags: filtering,
  path: '/v1/connect/intentions',
  parameters: ({ flags: { filter } }) => ({ filter }),
  asText: intentions => table(['Source', 'Action', 'Destination', 'Precedence'], intentions.map(rowOf))
})

const match = remoteCommand({
  summary: 'List the intentions that match a service, by precedence.',
  examples: ['annals intention match db', 'annals intention match -source web'],
  args: { service: required('the service') },
  flags: {
    source: on('match the service as the source'),
    destination: on('match the service as the destination, the default')
  },
  isRead: true,
  run: async ({ read, out, args, flags }) => {
    if (flags.source && flags.destination)
      throw new UsageError('--source and --destination exclude each other')
    const query = { by: flags.source ? 'source' : 'destination', name: args.service }
    const found = await read('/v1/connect/intentions/match', query)
    out.show(Object.values(found).flat(), intentions =>
      intentions
        .map(rowOf)
        .map(({ Source, Destination, Action }) => safe(`${Source} => ${Destination} (${Action})`))
        .join('\n')
    )
  }
})

const check = remoteCommand({
  summary: 'Check whether a service may connect to another.',
  about:
    'The exit code is 0 if connections are allowed, otherwise 1. Intentions with permissions count as denied, since they depend on the request.',
  examples: ['annals intention check web db'],
  args: parties,
  isRead: true,
  run: async ({ read, out, args }) => {
    const answer = await read('/v1/connect/intentions/check', args)
    out.show(answer, ({ Allowed }) => (Allowed ? 'Allowed' : 'Denied'))
    if (!answer.Allowed) throw new Failed(`${args.source} may not connect to ${args.destination}`)
  }
})

export const intention = group({
  summary: 'Create, show and delete intentions, which allow or deny connections between services.',
  about:
    'Services are named as NAME, NAMESPACE/NAME or PARTITION/NAMESPACE/NAME; * is any service.\nIntentions with permissions are service-intentions entries: `annals config write`.',
  examples: [
    'annals intention create -deny "*" db',
    'annals intention create web db',
    'annals intention check web db'
  ],
  commands: { create, delete: remove, get, list, match, check }
})
