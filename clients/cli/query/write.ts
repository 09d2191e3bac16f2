// `annals query create` and `annals query update`
import { UsageError, type Console } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { CONTENT, jsonContent } from '../remote/content.js'
import { needed, on, optional, text, texts, whole } from '../remote/flags.js'
import { queryId } from './prepared-query.js'

const definitionFlags = {
  name: text('name', 'name to execute it by, or what the names begin with that a template answers to'),
  service: text('name', 'service to look for'),
  tag: texts('tag', 'tag that an instance must have, or with ! in front must not have'),
  onlyPassing: on('leave out instances with warnings'),
  connect: on('only instances that Connect reaches'),
  near: text('node', 'sort by the distance from this node: a name, _agent or _ip'),
  failoverNearest: whole('number', 'how many other datacenters to try, nearest first'),
  failoverDatacenter: texts('name', 'datacenter to try when there are no instances, in this order'),
  dnsTtl: text('duration', 'time to live of DNS answers'),
  template: on('answer to all names that begin with --name'),
  regexp: text('re2', 'expression over the name that a template is asked for'),
  session: text('id', 'session with which it goes')
}

interface DefinitionFlags {
  readonly name: string | undefined
  readonly service: string | undefined
  readonly tag: readonly string[]
  readonly onlyPassing: boolean
  readonly connect: boolean
  readonly near: string | undefined
  readonly failoverNearest: string | undefined
  readonly failoverDatacenter: readonly string[]
  readonly dnsTtl: string | undefined
  readonly template: boolean
  readonly regexp: string | undefined
  readonly session: string | undefined
}

const bodyOf = (flags: DefinitionFlags) => {
  const { name, service, tag, onlyPassing, connect, near, failoverNearest, failoverDatacenter } = flags
  const { dnsTtl, template, regexp, session } = flags
  if (regexp !== undefined && !template) throw new UsageError('--regexp has no effect without --template')
  return {
    Name: name ?? '',
    ...(session === undefined ? {} : { Session: session }),
    ...(template ? { Template: { Type: 'name_prefix_match', Regexp: regexp ?? '' } } : {}),
    Service: {
      Service: service ?? '',
      Tags: tag,
      OnlyPassing: onlyPassing,
      Connect: connect,
      ...(near === undefined ? {} : { Near: near }),
      Failover: {
        ...(failoverNearest === undefined ? {} : { NearestN: Number(failoverNearest) }),
        Datacenters: failoverDatacenter
      }
    },
    ...(dnsTtl === undefined ? {} : { DNS: { TTL: dnsTtl } })
  }
}

const isGiven = (flags: DefinitionFlags): boolean =>
  Object.keys(definitionFlags).some(name => {
    const value: unknown = Reflect.get(flags, name)
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  })

const definition = `the query as JSON, in place of the flags; ${CONTENT}`

/** The body that an argument or flags say. @throws UsageError when both do */
const chosen = async (
  given: string | undefined,
  flags: DefinitionFlags,
  console: Console
): Promise<unknown> => {
  if (given === undefined) return bodyOf(flags)
  if (isGiven(flags)) throw new UsageError('the JSON of a query and the flags that say it exclude each other')
  return await jsonContent(given, console)
}

export const create = remoteCommand({
  summary: 'Make a prepared query.',
  examples: [
    'annals query create -name web -service web -only-passing -failover-nearest 2',
    "annals query create -name geo- -template -regexp '^geo-(.*)$' -service '${match(1)}'",
    'annals query create @query.json'
  ],
  args: { definition: optional(definition) },
  flags: definitionFlags,
  run: async ({ send, out, flags, args, console }) => {
    const body = await chosen(args.definition, flags, console)
    const answer = await send('POST', '/v1/query', { body })
    out.show(await answer.json<{ readonly ID: string }>(), ({ ID }) => ID)
  }
})

export const update = remoteCommand({
  summary: 'Replace a prepared query by another definition, under the same ID.',
  examples: ['annals query update web -name web -service web -tag v2', 'annals query update web @query.json'],
  args: { which: needed('ID or name of the query'), definition: optional(definition) },
  flags: definitionFlags,
  run: async ({ get, send, out, flags, args, console }) => {
    const id = await queryId(get, args.which)
    await send('PUT', `/v1/query/${id}`, { body: await chosen(args.definition, flags, console) })
    out.done(`Query "${id}" updated successfully`)
  }
})
