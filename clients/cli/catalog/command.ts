// `annals catalog`
import { safe } from '../remote/output.js'
import { group, remoteCommand } from '../remote/command.js'
import { catalogNode, catalogNodes } from './nodes.js'
import { catalogService, catalogServices } from './services.js'
import { catalogDeregister, catalogRegister } from './write.js'

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
