// `annals events group`: the units of a consumer group.
import { UsageError } from '../console.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { integer, required, rest, text, texts, numberOf } from '../remote/flags.js'
import { table } from '../remote/output.js'

const name = required('name of the cursor')
const receipts = rest('receipts of the units, as `receive` prints them')

const create = remoteCommand({
  summary: 'Create a consumer group, or replace its rules.',
  examples: ['annals events group create workers -topic KV:jobs/ -max-deliveries 3'],
  args: { name },
  flags: {
    topic: texts('topic', 'topic of its events, as TOPIC or TOPIC:KEY'),
    maxDeliveries: integer('number', 'park a unit after so many deliveries; default: 5'),
    visibilityTimeout: text('duration', 'time that a member has for a unit; default: 30s'),
    onParked: text('rule', 'continue with the key of a parked unit, or block it; default: continue', {
      choices: ['continue', 'block']
    })
  },
  run: async ({ write, out, args, flags }) => {
    const { topic, maxDeliveries, visibilityTimeout, onParked } = flags
    const Group = {
      MaxDeliveries: numberOf(maxDeliveries),
      VisibilityTimeout: visibilityTimeout,
      OnParked: onParked
    }
    const body = { Topics: [...topic], Group }
    out.show(await write('put', '/v1/event/cursor/{name}', body, args), () => `Created group: ${args.name}`)
  }
})

const units = showCommand({
  summary: 'List the units that are parked, or delivered and not acknowledged.',
  examples: ['annals events group units workers'],
  args: { name },
  path: '/v1/event/cursor/{name}/units',
  parameters: ({ args }) => args,
  asText: all =>
    table(['Index', 'Unit', 'State', 'Deliveries', 'Member', 'NotBefore', 'Topic', 'Key', 'Reason'], all)
})

const receive = remoteCommand({
  summary: 'Receive units as a member of a consumer group.',
  examples: ['annals events group receive workers -member worker-1 -limit 10 -wait 30s -o jsonl'],
  args: { name },
  flags: {
    member: text('name', 'name of the member; default: annals'),
    limit: integer('number', 'maximum of units: 1 to 64'),
    wait: text('duration', 'time to wait for a unit')
  },
  run: async ({ write, out, args, flags }) => {
    const { member = 'annals', limit, wait } = flags
    const query = { ...args, member, limit, wait }
    const received = await write('post', '/v1/event/cursor/{name}/receive', undefined, query)
    out.show(received, all => table(['Receipt', 'Index', 'Deliveries'], all))
  }
})

const settledText = ({
  Settled,
  Unknown
}: {
  readonly Settled: readonly string[]
  readonly Unknown: readonly string[]
}): string => [`Settled: ${Settled.length}`, ...Unknown.map(receipt => `Unknown: ${receipt}`)].join('\n')

const ack = remoteCommand({
  summary: 'Acknowledge units.',
  examples: ['annals events group ack workers RECEIPT …'],
  args: { name, receipts },
  run: async ({ write, out, args: { name: cursor, receipts: all } }) => {
    const body = { Receipts: [...all] }
    out.show(await write('post', '/v1/event/cursor/{name}/ack', body, { name: cursor }), settledText)
  }
})

const nack = remoteCommand({
  summary: 'Reject units, which are delivered again or parked.',
  examples: ['annals events group nack workers -delay 1m -because "database is down" RECEIPT …'],
  args: { name, receipts },
  flags: {
    delay: text('duration', 'time until the next delivery'),
    because: text('text', 'why, which the list of units shows')
  },
  run: async ({ write, out, args, flags: { delay, because } }) => {
    const body = { Receipts: [...args.receipts], Delay: delay, Reason: because }
    out.show(await write('post', '/v1/event/cursor/{name}/nack', body, { name: args.name }), settledText)
  }
})

/** `INDEX:UNIT` of each argument. @throws UsageError */
const unitsIn = (names: readonly string[]): { Index: number; Unit: string }[] =>
  names.map(each => {
    const [, index, unit] = /^(\d{1,15}):([\w-]+)$/.exec(each) ?? []
    if (index === undefined || unit === undefined)
      throw new UsageError(`${JSON.stringify(each)} is not INDEX:UNIT, as the list of units has them`)
    return { Index: Number(index), Unit: unit }
  })

const unpark = (command: 'replay' | 'drop', summary: string, done: string) =>
  remoteCommand({
    summary,
    examples: [`annals events group ${command} workers 42:mB3hZ0pYJ1sQ2wXk`],
    args: { name, units: rest('parked units, as INDEX:UNIT') },
    run: async ({ write, out, args }) => {
      const body = { Units: unitsIn(args.units) }
      const path = `/v1/event/cursor/{name}/units/${command}` as const
      out.show(await write('post', path, body, { name: args.name }), count => `${done}: ${count}`)
    }
  })

export const groupCommands = group({
  summary: 'Receive and settle units of a consumer group, and inspect parked ones.',
  examples: ['annals events group units workers'],
  commands: {
    create,
    units,
    receive,
    ack,
    nack,
    replay: unpark('replay', 'Deliver parked units again.', 'Replayed'),
    drop: unpark('drop', 'Drop parked units.', 'Dropped')
  }
})

export const redeliver = remoteCommand({
  summary: 'Send commits to a webhook again: all that were given up, or a range.',
  examples: ['annals events redeliver audit', 'annals events redeliver audit -from 42 -to 44'],
  args: { name },
  flags: {
    from: integer('index', 'first commit'),
    to: integer('index', 'last commit; default: the first one')
  },
  run: async ({ write, out, args, flags: { from, to } }) => {
    const body = { From: numberOf(from), To: numberOf(to) }
    out.show(await write('post', '/v1/event/cursor/{name}/redeliver', body, args), all =>
      table(['From', 'To', 'Messages', 'Reason'], all)
    )
  }
})
