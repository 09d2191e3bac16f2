// `annals query`
import { Failed } from '../failures.js'
import { group, remoteCommand } from '../remote/command.js'
import { needed, whole, text, on } from '../remote/flags.js'
import { fields, table } from '../remote/output.js'
import { create, update } from './write.js'
import { queryId, queryText, type Query } from './prepared-query.js'

const which = { which: needed('ID or name of the query') }

const read = remoteCommand({
  summary: 'Show a prepared query.',
  examples: ['annals query read web', 'annals query read 059a3f7a-3499-4b74-bd3f-0d2ff1b0e0a4'],
  args: which,
  run: async ({ get, out, args }) => {
    const path = `/v1/query/${await queryId(get, args.which)}`
    const [query] = await (await get(path)).json<readonly Query[]>()
    if (!query) throw new Failed(`there is no query "${args.which}"`)
    out.show(query, queryText)
  }
})

const remove = remoteCommand({
  summary: 'Delete a prepared query.',
  examples: ['annals query delete web'],
  args: which,
  run: async ({ get, send, out, args }) => {
    const id = await queryId(get, args.which)
    await send('DELETE', `/v1/query/${id}`)
    out.done(`Query "${id}" deleted successfully`)
  }
})

const list = remoteCommand({
  summary: 'List prepared queries.',
  examples: ['annals query list'],
  run: async ({ get, out }) =>
    out.show(await (await get('/v1/query')).json<readonly Query[]>(), queries =>
      table(
        ['Name', 'ID', 'Service', 'Template'],
        queries
          .toSorted((a, b) => (a.Name < b.Name ? -1 : 1))
          .map(({ ID, Name, Service, Template }) => [Name, ID, Service.Service, Template?.Type ?? ''])
      )
    )
})

interface Instance {
  readonly Node: { readonly Node: string; readonly Address: string }
  readonly Service: { readonly ID: string; readonly Address: string; readonly Port: number }
}

interface Result {
  readonly Service: string
  readonly Datacenter: string
  readonly Failovers: number
  readonly Nodes: readonly Instance[] | null
}

const resultText = ({ Service, Datacenter, Failovers, Nodes }: Result): string =>
  [
    table(
      ['Node', 'Address', 'Port', 'ServiceID'],
      (Nodes ?? []).map(({ Node, Service: instance }) => [
        Node.Node,
        instance.Address || Node.Address,
        instance.Port,
        instance.ID
      ])
    ),
    `${Service} in ${Datacenter}${Failovers > 0 ? `, after ${Failovers} other datacenters` : ''}`
  ].join('\n')

const execute = remoteCommand({
  summary: 'Execute a prepared query: which instances it finds.',
  examples: ['annals query execute web', 'annals query execute -near _agent -limit 3 geo-db'],
  args: { which: needed('ID or name of the query, or a name that a template answers to') },
  flags: {
    near: text(
      'node',
      'sort by the distance from this node; _agent for that of the server, _ip for this one'
    ),
    limit: whole('number', 'most instances'),
    connect: on('only instances that Connect reaches')
  },
  run: async ({ get, out, flags, args }) => {
    const { near, limit, connect } = flags
    const path = `/v1/query/${encodeURIComponent(args.which)}/execute`
    out.show(await (await get(path, { near, limit, connect })).json<Result>(), resultText)
  }
})

interface Explained {
  readonly Query: Query
}

const explain = remoteCommand({
  summary: 'Show which query answers to a name, with everything filled in.',
  examples: ['annals query explain geo-db'],
  args: { name: needed('a name that a query or a template answers to') },
  run: async ({ get, out, args }) => {
    const answer = await get(`/v1/query/${encodeURIComponent(args.name)}/explain`)
    out.show(
      await answer.json<Explained>(),
      ({ Query }) => `${fields([['Asked', args.name]])}\n${queryText(Query)}`
    )
  }
})

export const query = group({
  summary: 'Make and execute prepared queries: which instances of a service are found.',
  examples: [
    'annals query create -name web -service web -only-passing -failover-nearest 2',
    'annals query execute web',
    'annals query list'
  ],
  commands: { create, read, update, delete: remove, list, execute, explain }
})
