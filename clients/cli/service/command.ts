// `annals service`
import { group, remoteCommand } from '../remote/command.js'
import { filtering } from '../remote/listing.js'
import { table } from '../remote/output.js'
import { deregister } from './deregister.js'
import { register } from './register.js'

interface Service {
  readonly ID: string
  readonly Service: string
  readonly Address: string
  readonly Port: number
  readonly Tags: readonly string[] | null
}

const list = remoteCommand({
  summary: 'List the services that are registered at the server that is asked.',
  examples: ['annals service list'],
  flags: filtering,
  run: async ({ read, out, flags }) =>
    out.show(
      await read<Readonly<Record<string, Service>>>('/v1/agent/services', { filter: flags.filter }),
      services =>
        table(
          ['ID', 'Service', 'Address', 'Port', 'Tags'],
          Object.values(services).map(each => [
            each.ID,
            each.Service,
            each.Address,
            each.Port,
            (each.Tags ?? []).join(', ')
          ])
        )
    )
})

export const service = group({
  summary: 'Register services at the server that is asked.',
  examples: [
    'annals service register -name=web -port=8080 -tag=v2',
    'annals service register web.hcl',
    'annals service deregister -id=web'
  ],
  commands: { register, deregister, list }
})
