// `annals catalog`
import { safe } from '../remote/output.js'
import { group, remoteCommand } from '../remote/command.js'
import { catalogNode, catalogNodes } from './nodes.js'
import { catalogService, catalogServices } from './services.js'
import { needed, text } from '../remote/flags.js'
import { CONTENT, jsonContent } from '../remote/content.js'
import { UsageError } from '../console.js'

/** `annals catalog register` and `annals catalog deregister`: what no server's agent looks after. */
const catalogRegister = remoteCommand({
  summary: 'Register a node, with a service or checks, that no agent looks after.',
  about:
    'Takes the body of `PUT /v1/catalog/register`. `annals service register` registers at the server that is asked.',
  examples: [
    `annals catalog register '{"Node":"db-1","Address":"10.0.0.7","Service":{"Service":"db","Port":5432}}'`,
    'annals catalog register @db-1.json'
  ],
  args: { registration: needed(`JSON; ${CONTENT}`) },
  run: async ({ send, out, args, console }) => {
    await send('PUT', '/v1/catalog/register', { body: await jsonContent(args.registration, console) })
    out.done('Success! Registered')
  }
})

const catalogDeregister = remoteCommand({
  summary: 'Remove a node, or one service or check of it.',
  examples: [
    'annals catalog deregister db-1                  the node, with all that is on it',
    'annals catalog deregister db-1 -service-id db   one service of it'
  ],
  args: { node: needed('name of the node') },
  flags: {
    serviceId: text('id', 'only this service'),
    checkId: text('id', 'only this check')
  },
  run: async ({ send, out, args, flags }) => {
    const { serviceId, checkId } = flags
    if (serviceId !== undefined && checkId !== undefined)
      throw new UsageError('--service-id and --check-id exclude each other')
    const body = { Node: args.node, ServiceID: serviceId, CheckID: checkId }
    await send('PUT', '/v1/catalog/deregister', { body })
    out.done(`Success! Deregistered ${serviceId ?? checkId ?? args.node}`)
  }
})

const datacenters = remoteCommand({
  summary: 'List datacenters, the nearest first.',
  examples: ['annals catalog datacenters'],
  run: async ({ read, out }) =>
    out.show(await read<readonly string[]>('/v1/catalog/datacenters'), names => names.map(safe).join('\n'))
})

export const catalog = group({
  summary: 'Show which nodes and services there are.',
  examples: ['annals catalog services', 'annals catalog service web', 'annals catalog nodes -service=web'],
  commands: {
    datacenters,
    nodes: catalogNodes,
    node: catalogNode,
    services: catalogServices,
    service: catalogService,
    register: catalogRegister,
    deregister: catalogDeregister
  }
})
