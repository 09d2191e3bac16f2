import type { Schemas } from '../../typescript/typed/index.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { Failed, Missing, UsageError, type Console } from '../console.js'
import { group, remoteCommand, showCommand, type Run } from '../remote/command.js'
import { required, integer, text, on, optional, texts, type FlagValues, numberOf } from '../remote/flags.js'
import { fields, table, type Content } from '../remote/output.js'
import { namesAt } from '../completion/sources.js'
import { isUuid } from '../../../actors/uuid.js'
import { CONTENT, jsonContent } from '../remote/content.js'

type Query = Schemas['Query']

const QUERIES = namesAt('/v1/query')

const failoverOf = ({ Failover }: Schemas['QueryService']): readonly string[] => [
  ...(Failover?.NearestN ? [`the ${Failover.NearestN} nearest`] : []),
  ...(Failover?.Datacenters ?? [])
]

const queryText = ({ ID, Name, Session, Token, Template, Service, DNS }: Query): string => {
  const { Tags, OnlyPassing, Connect, Near } = Service
  return fields({
    ID,
    Name,
    Template: Template?.Type && `${Template.Type} ${Template.Regexp}`.trimEnd(),
    Service: Service.Service,
    Tags,
    OnlyPassing,
    Connect,
    Near,
    Failover: failoverOf(Service),
    'DNS TTL': DNS?.TTL,
    Session,
    Token
  })
}

/** @param which ID or name @throws Failed if no query has this name */
const queryId = async (read: Run['read'], which: string): Promise<string> => {
  if (isUuid(which)) return which
  const all = await read('/v1/query')
  const found = all.find(({ Name }) => Name === which)
  if (!found) throw new Missing(`there is no query named "${which}"`)
  return found.ID
}

const definitionFlags = {
  name: text('name', 'name of the query, or prefix of the names of a template'),
  service: text('name', 'service to find'),
  tag: texts('tag', 'required tag of an instance; with ! an excluded tag'),
  onlyPassing: on('exclude instances with warnings'),
  connect: on('only instances that support Connect'),
  near: text('node', 'sort by the distance from this node: a name, _agent or _ip'),
  failoverNearest: integer('number', 'number of other datacenters to try, nearest first'),
  failoverDatacenter: texts('name', 'datacenter to try if there are no instances, in this order'),
  dnsTtl: text('duration', 'time to live of DNS responses'),
  template: on('apply to all names that begin with --name'),
  regexp: text('re2', 'regular expression for the requested name of a template'),
  session: text('id', 'session whose end deletes the query')
}

type DefinitionFlags = FlagValues<typeof definitionFlags>

const bodyOf = (flags: DefinitionFlags) => {
  const { name, service, tag, onlyPassing, connect, near, failoverNearest, failoverDatacenter } = flags
  const { dnsTtl, template, regexp, session } = flags
  if (regexp !== undefined && !template) throw new UsageError('--regexp has no effect without --template')
  return {
    Name: name ?? '',
    Session: session,
    Template: template ? { Type: 'name_prefix_match', Regexp: regexp ?? '' } : undefined,
    Service: {
      Service: service ?? '',
      Tags: tag,
      OnlyPassing: onlyPassing,
      Connect: connect,
      Near: near,
      Failover: {
        NearestN: numberOf(failoverNearest),
        Datacenters: failoverDatacenter
      }
    },
    DNS: dnsTtl === undefined ? undefined : { TTL: dnsTtl }
  }
}

const isGiven = (flags: DefinitionFlags): boolean =>
  Object.keys(definitionFlags).some(name => {
    const value: unknown = Reflect.get(flags, name)
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  })

const definition = `the query as JSON, instead of the flags; ${CONTENT}`

/** @throws UsageError if both the argument and flags define the query */
const chosen = async (
  json: string | undefined,
  flags: DefinitionFlags,
  console: Console
): Promise<unknown> => {
  if (json === undefined) return bodyOf(flags)
  if (isGiven(flags)) throw new UsageError('the JSON of a query and its flags exclude each other')
  return await jsonContent(json, console)
}

const create = remoteCommand({
  summary: 'Create a prepared query.',
  examples: [
    'annals query create -name web -service web -only-passing -failover-nearest 2',
    "annals query create -name geo- -template -regexp '^geo-(.*)$' -service '${match(1)}'",
    'annals query create @query.json'
  ],
  args: { definition: optional(definition) },
  flags: definitionFlags,
  run: async ({ send, out, flags, args, console }) => {
    const body = await chosen(args.definition, flags, console)
    out.show(await (await send('POST', '/v1/query', { body })).json<Schemas['QueryID']>(), ({ ID }) => ID)
  }
})

const update = remoteCommand({
  summary: 'Replace the definition of a prepared query.',
  examples: ['annals query update web -name web -service web -tag v2', 'annals query update web @query.json'],
  args: { which: required('ID or name of the query', QUERIES), definition: optional(definition) },
  flags: definitionFlags,
  run: async ({ read, send, out, flags, args, console }) => {
    const id = await queryId(read, args.which)
    await send('PUT', `/v1/query/${id}`, { body: await chosen(args.definition, flags, console) })
    out.note(`Query "${id}" updated successfully`)
  }
})

const which = { which: required('ID or name of the query', QUERIES) }

const show = remoteCommand({
  summary: 'Show a prepared query.',
  examples: ['annals query read web', 'annals query read 059a3f7a-3499-4b74-bd3f-0d2ff1b0e0a4'],
  args: which,
  isRead: true,
  run: async ({ read, out, args }) => {
    const id = await queryId(read, args.which)
    const [query] = await read('/v1/query/{id}', { id })
    if (!query) throw new Failed(`there is no query "${args.which}"`)
    out.show(query, queryText)
  }
})

const remove = remoteCommand({
  summary: 'Delete a prepared query.',
  examples: ['annals query delete web'],
  about: DELETION,
  args: which,
  flags: deletionFlags,
  run: run =>
    deleteIfPresent(run, `query "${run.args.which}"`, async () => {
      const id = await queryId(run.read, run.args.which)
      await run.read('/v1/query/{id}', { id })
      await run.write('delete', '/v1/query/{id}', undefined, { id })
      return `Query "${id}" deleted successfully`
    })
})

const list = showCommand({
  summary: 'List prepared queries.',
  examples: ['annals query list'],
  path: '/v1/query',
  parameters: () => ({}),
  asText: queries =>
    table(
      ['Name', 'ID', 'Service', 'Template'],
      queries
        .toSorted((a, b) => (a.Name < b.Name ? -1 : 1))
        .map(({ Service, Template, ...query }) => ({
          ...query,
          Service: Service.Service,
          Template: Template?.Type
        }))
    )
})

const resultText = ({ Nodes }: Schemas['QueryResult']): Content =>
  table(
    ['Node', 'Address', 'Port', ['ServiceID', 'ID']],
    Nodes.map(({ Node, Service: instance }) => ({
      ...instance,
      Node: Node.Node,
      Address: instance.Address || Node.Address
    }))
  )

const execute = remoteCommand({
  summary: 'Execute a prepared query and list the instances that it finds.',
  examples: ['annals query execute web', 'annals query execute -near _agent -limit 3 geo-db'],
  args: { which: required('ID or name of the query, or a name that matches a template', QUERIES) },
  flags: {
    near: text(
      'node',
      'sort by the distance from this node; _agent for the node of the server, _ip for this machine'
    ),
    limit: integer('number', 'maximum of instances'),
    connect: on('only instances that support Connect')
  },
  isRead: true,
  run: async ({ read, out, args, flags }) => {
    const { near, limit, connect } = flags
    const found = await read('/v1/query/{id}/execute', { id: args.which, near, limit, connect })
    const { Service, Datacenter, Failovers, Nodes } = found
    const count = Nodes.length === 1 ? '1 result' : `${Nodes.length} results`
    const where = `${Service} in ${Datacenter}${Failovers > 0 ? `, after ${Failovers} other datacenters` : ''}`
    if (Nodes.length > 0 || out.isData) out.show(found, resultText)
    out.note(`${count}: ${where}`)
  }
})

const explain = remoteCommand({
  summary: 'Show the query that matches a name, with its template expanded.',
  examples: ['annals query explain geo-db'],
  args: { name: required('name that a query or a template matches') },
  isRead: true,
  run: async ({ read, out, args }) => {
    const found = await read('/v1/query/{id}/explain', { id: args.name })
    out.show(found, ({ Query }) => `${fields({ Asked: args.name })}\n${queryText(Query)}`)
  }
})

export const query = group({
  summary: 'Create, show, update, delete and execute prepared queries.',
  examples: [
    'annals query create -name web -service web -only-passing -failover-nearest 2',
    'annals query execute web',
    'annals query list'
  ],
  commands: { create, read: show, update, delete: remove, list, execute, explain }
})
