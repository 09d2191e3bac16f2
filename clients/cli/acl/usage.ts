import type { ResponseOf } from '../../typescript/typed/operations.js'
import { type Run, remoteCommand } from '../remote/command.js'
import { text } from '../remote/flags.js'
import { fields, table, type Content } from '../remote/output.js'
import { textIn, type ResourceRun } from '../resources/field-inputs.js'
import { isObject } from '../../../events/values.js'
import type { Naming } from '../resources/naming.js'
import { sourceText } from './explain.js'

type Usage = ResponseOf<'get', '/v1/acl/policy/{id}/usage'>

const ruleRow = ({ UsedBy, Users, Overlap, Source, ...rule }: Usage['Rules'][number]) => {
  const named = UsedBy.map(({ AccessorID }) => AccessorID?.slice(0, 8) ?? 'deleted tokens')
  const more = Users - named.length
  return {
    ...rule,
    From: sourceText(Source),
    By: [...named, ...(more > 0 ? [`${more} more`] : [])].join(', '),
    Adds: Overlap ? `nothing to ${Overlap.Text} of ${sourceText(Overlap.Source)}` : ''
  }
}

const usageText = ({ Coverage, Rules, Links }: Usage): Content => [
  fields({
    'Recorded since': Coverage.Since,
    'Recorded days': `${Coverage.RecordedDays}, of which ${Coverage.RequiredDays} are needed to call something unused`,
    Gaps: Coverage.Gaps.map(({ From, To }) => `${From} to ${To}`),
    'Not recorded': Coverage.LeftOut || undefined,
    'Not heard of': Coverage.NotHeard
  }),
  table(
    [
      ['Rule', 'Text'],
      'Level',
      'Namespace',
      'From',
      'State',
      'Count',
      ['Last used', 'LastUsed'],
      'By',
      'Adds'
    ],
    Rules.map(ruleRow)
  ),
  ...(Links.length === 0
    ? []
    : [
        table(
          [['Link', 'Link'], 'State'],
          Links.map(link => ({ Link: sourceText(link), State: link.State }))
        )
      ])
]

/** Returns the ID of the named resource. @throws UsageError, Failed */
export const idOf = async (
  run: ResourceRun,
  kind: string,
  { targetOf, idField }: Naming
): Promise<string> => {
  const { id, path } = await targetOf(run)
  if (id !== undefined) return id
  const found: unknown = await (await run.get(`/v1/acl/${kind}/${path}`)).json()
  return (isObject(found) ? textIn(found, idField) : undefined) ?? ''
}

type ReadUsage = (read: Run['read'], id: string, days: string | undefined) => Promise<Usage>

/** Creates the command that shows the use of the rights of a token, policy or role. */
export const usageCommand = (kind: string, naming: Naming, sample: string, readUsage: ReadUsage) =>
  remoteCommand({
    summary: `Show which rules of a ${kind} are used, by whom, when and how often.`,
    about:
      'A rule is unused if no recorded question would be answered differently without it. Nothing is called unused before enough is\nrecorded, or while a server is not heard of.',
    examples: [
      `annals ${kind} usage ${sample}`,
      `annals ${kind} usage ${sample} --days 7       calls rules unused after 7 recorded days`
    ],
    args: naming.args,
    flags: {
      ...naming.flags,
      days: text(
        'number',
        'days that must be recorded before something is called unused (default: acl.usage.advice_days)'
      )
    },
    isRead: true,
    run: async run => {
      const id = await idOf(run, kind, naming)
      run.out.show(await readUsage(run.read, id, textIn(run.flags, 'days')), usageText)
    }
  })
