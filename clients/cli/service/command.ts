import { group, remoteCommand, showCommand } from '../remote/command.js'
import { filtering, INSTANCE_COLUMNS } from '../remote/listing.js'
import { table } from '../remote/output.js'
import { UsageError } from '../console.js'
import { DEFINITION, definitionsIn, definitionTextIn, type Definition } from '../remote/content.js'
import {
  rest,
  text,
  pairs,
  texts,
  integer,
  type FlagDefinitions,
  type FlagValues,
  numberOf
} from '../remote/flags.js'

const SERVICES = { one: 'service', many: 'services' } as const

const REGISTRATION_FLAGS = {
  name: text('name', 'name of the service'),
  id: text('id', 'ID of this instance (default: the name)'),
  address: text('address', 'address of the instance (default: that of the server)'),
  port: integer('port', 'port of the instance'),
  tag: texts('tag', 'tag of the instance'),
  meta: pairs('metadata of the instance'),
  kind: text('kind', 'kind of proxy or gateway, such as mesh-gateway'),
  checkHttp: text('url', 'check: a GET of this URL returns 2xx'),
  checkTcp: text('host:port', 'check: the address accepts a connection'),
  checkTtl: text('duration', 'check: `annals check pass` runs at least this often'),
  checkInterval: text('duration', 'interval of these checks (default: 10s)')
} satisfies FlagDefinitions

type Flags = FlagValues<typeof REGISTRATION_FLAGS>

const checksOf = ({ checkHttp, checkTcp, checkTtl, checkInterval }: Flags): readonly Definition[] => {
  const Interval = checkInterval ?? '10s'
  if (checkInterval !== undefined && checkHttp === undefined && checkTcp === undefined)
    throw new UsageError('--check-interval has no effect without --check-http or --check-tcp')
  return [
    ...(checkHttp === undefined ? [] : [{ HTTP: checkHttp, Interval }]),
    ...(checkTcp === undefined ? [] : [{ TCP: checkTcp, Interval }]),
    ...(checkTtl === undefined ? [] : [{ TTL: checkTtl }])
  ]
}

const described = (input: Flags): Definition => ({
  Name: input.name,
  ID: input.id,
  Address: input.address,
  Port: numberOf(input.port),
  Tags: input.tag.length === 0 ? undefined : input.tag,
  Meta: Object.keys(input.meta).length === 0 ? undefined : input.meta,
  Kind: input.kind,
  Checks: checksOf(input)
})

const isSaid = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined

const register = remoteCommand({
  summary: 'Register services from files, or one from flags.',
  about:
    'A file has one service at its top level or under `service`, or several under `services`. The command registers them one after\nanother, and replaces existing registrations.',
  examples: [
    'annals service register -name=web -port=8080 -tag=v2',
    'annals service register -name=web -port=8080 -check-http=http://127.0.0.1:8080/alive',
    'annals service register web.hcl api.hcl',
    `echo '{"service":{"name":"web","port":8080}}' | annals service register -`
  ],
  args: { files: rest(DEFINITION) },
  flags: REGISTRATION_FLAGS,
  run: async ({ send, out, args, flags: input, console }) => {
    const isDescribed = Object.keys(REGISTRATION_FLAGS).some(name => isSaid(Reflect.get(input, name)))
    if (isDescribed === args.files.length > 0)
      throw new UsageError('a service is described in a file, or by --name and the other flags')
    if (isDescribed && input.name === undefined) throw new UsageError('--name is missing')
    const read = await Promise.all(args.files.map(file => definitionsIn(file, SERVICES, console)))
    for (const definition of isDescribed ? [described(input)] : read.flat()) {
      await send('PUT', '/v1/agent/service/register', { body: definition })
      out.note(`Registered service: ${String(definitionTextIn(definition, 'name'))}`)
    }
  }
})

const deregister = remoteCommand({
  summary: 'Deregister services of the agent: those of files, or one by its ID.',
  examples: ['annals service deregister -id=web', 'annals service deregister web.hcl'],
  args: { files: rest(DEFINITION) },
  flags: { id: text('id', 'ID of the instance') },
  run: async ({ write, out, args, flags, console }) => {
    const { id } = flags
    if ((id === undefined) === (args.files.length === 0))
      throw new UsageError('services are named by files, or one by --id')
    const read = await Promise.all(args.files.map(file => definitionsIn(file, SERVICES, console)))
    const ids =
      id === undefined
        ? read
            .flat()
            .map(serviceId => definitionTextIn(serviceId, 'id') ?? definitionTextIn(serviceId, 'name'))
        : [id]
    for (const serviceId of ids) {
      if (typeof serviceId !== 'string')
        throw new UsageError('a service in a file has neither a name nor an ID')
      await write('put', '/v1/agent/service/deregister/{id}', undefined, { id: serviceId })
      out.note(`Deregistered service: ${serviceId}`)
    }
  }
})

const list = showCommand({
  summary: 'List the services of the agent.',
  examples: ['annals service list'],
  flags: filtering,
  path: '/v1/agent/services',
  parameters: ({ flags: { filter } }) => ({ filter }),
  asText: services => table(INSTANCE_COLUMNS, Object.values(services))
})

export const service = group({
  summary: 'Register services at the agent of the server.',
  examples: [
    'annals service register -name=web -port=8080 -tag=v2',
    'annals service register web.hcl',
    'annals service deregister -id=web'
  ],
  commands: { register, deregister, list }
})
