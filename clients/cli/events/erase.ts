import type { Schemas } from '../../typescript/typed/index.js'
import { confirm } from '../terminal.js'
import { UsageError } from '../console.js'
import { remoteCommand, showCommand } from '../remote/command.js'
import { on, text } from '../remote/flags.js'
import { table } from '../remote/output.js'
import { originTenancyText } from '../origin-text.js'

export const erase = remoteCommand({
  summary: 'Erase the contents of superseded versions from every file of the log.',
  about:
    'Commits, hashes and proofs stay valid. The server erases in the background: see `annals erasures`. To erase a current resource,\ndelete it first, or keep its newest version with --history. The command asks for confirmation unless --yes is given, and requires --reason.',
  examples: [
    'annals erase -topic KV -prefix customers/4711/ -reason "request 2026-117" -dry-run',
    'annals erase -topic KV -prefix customers/4711/ -reason "request 2026-117"',
    'annals erase -who 6a1253d2-1785-24fd-91c2-f8e78c745511 -reason "has left" -yes'
  ],
  flags: {
    topic: text('topic', 'topic of the events, such as KV'),
    key: text('key', 'key of one resource'),
    prefix: text('text', 'prefix of the keys of resources'),
    history: on('keep the newest version of existing resources'),
    who: text('accessor', 'instead of a topic: the author, address and reason of all commits of this token'),
    dryRun: on('erase nothing, and show the extent'),
    yes: on('skip the confirmation')
  },
  run: async ({ write, out, console, flags, reason }) => {
    if (reason === undefined) throw new UsageError('--reason is missing: an erasure needs a reason')
    const { topic, key, prefix, history, who, dryRun, yes } = flags
    if (!dryRun && !yes && !(await confirm(console, 'Erase?'))) throw new UsageError('nothing was erased')
    const done = await write(
      'post',
      '/v1/event/erase',
      {
        Topic: topic,
        Key: key,
        Prefix: prefix,
        Scope: history ? 'history' : undefined,
        ...(who === undefined ? {} : { Part: 'who', Accessor: who }),
        Reason: reason
      },
      { 'dry-run': dryRun }
    )
    out.show(done, erasure =>
      'DryRun' in erasure
        ? `Would erase ${erasure.Versions} versions in ${erasure.Commits} commits, up to commit ${erasure.UpTo}`
        : `Ordered by commit ${erasure.Index}; see: annals erasures`
    )
  }
})

const aboutOf = ({
  Topic = '',
  Namespace = '',
  Partition,
  Key,
  Prefix = '',
  Accessor
}: Schemas['Erasure']) =>
  Accessor === undefined
    ? `${Topic} ${originTenancyText({ Namespace, Key: Key ?? `${Prefix}*`, ...(Partition ? { Partition } : {}) })}`
    : `who: ${Accessor}`

export const erasures = showCommand({
  summary: 'List erasures and their progress.',
  examples: ['annals erasures'],
  path: '/v1/event/erasures',
  parameters: () => ({}),
  asText: all =>
    table(
      [['Commit', 'Index'], 'State', 'Parts', 'UpTo', 'About'],
      all.map(erasure => ({ ...erasure, About: aboutOf(erasure) }))
    )
})
