// `annals service register`
import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { DEFINITION, definitionsIn, saidIn, type Definition } from '../remote/definition.js'
import { pairs, rest, text, texts, whole, type FlagShapes, type FlagValues } from '../remote/flags.js'

/** How a definition is called in a file. */
export const SERVICES = { one: 'service', many: 'services' } as const

const flags = {
  name: text('name', 'name of the service'),
  id: text('id', 'ID of this instance (default: the name)'),
  address: text('address', 'where it is (default: the address of the server)'),
  port: whole('port', 'on which port'),
  tag: texts('tag', 'tag of the instance'),
  meta: pairs('metadata of the instance'),
  kind: text('kind', 'kind of proxy or gateway, such as mesh-gateway'),
  checkHttp: text('url', 'check: a GET of this URL is answered 2xx'),
  checkTcp: text('host:port', 'check: a connection to it is taken'),
  checkTtl: text('duration', 'check: `annals check pass` comes at least this often'),
  checkInterval: text('duration', 'how often those checks are made (default: 10s)')
} satisfies FlagShapes

type Flags = FlagValues<typeof flags>

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

const described = (given: Flags): Definition => ({
  Name: given.name,
  ID: given.id,
  Address: given.address,
  Port: given.port === undefined ? undefined : Number(given.port),
  Tags: given.tag.length === 0 ? undefined : given.tag,
  Meta: Object.keys(given.meta).length === 0 ? undefined : given.meta,
  Kind: given.kind,
  Checks: checksOf(given)
})

const isSaid = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined

export const register = remoteCommand({
  summary: 'Register services: from files, or one from flags.',
  about:
    'A file holds a service by itself, one under `service`, or several under `services`. They are registered one after another;\nwhat is registered already becomes as the file says.',
  examples: [
    'annals service register -name=web -port=8080 -tag=v2',
    'annals service register -name=web -port=8080 -check-http=http://127.0.0.1:8080/alive',
    'annals service register web.hcl api.hcl',
    `echo '{"service":{"name":"web","port":8080}}' | annals service register -`
  ],
  args: { files: rest(DEFINITION) },
  flags,
  run: async ({ send, out, args, flags: given, console }) => {
    const isDescribed = Object.keys(flags).some(name => isSaid(Reflect.get(given, name)))
    if (isDescribed === args.files.length > 0)
      throw new UsageError('a service is described in a file, or by --name and the other flags')
    if (isDescribed && given.name === undefined) throw new UsageError('--name is missing')
    const read = await Promise.all(args.files.map(file => definitionsIn(file, SERVICES, console)))
    for (const definition of isDescribed ? [described(given)] : read.flat()) {
      await send('PUT', '/v1/agent/service/register', { body: definition })
      out.done(`Registered service: ${String(saidIn(definition, 'name'))}`)
    }
  }
})
