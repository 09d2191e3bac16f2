import { datacenterText, recordedText } from '../../impact-text.js'
import type { Schemas } from '../../typescript/typed/index.js'
import { dryRun, refuseRefused } from '../changes/change-plan.js'
import { readDeclarationFile } from '../changes/declared-files.js'
import { remoteCommand } from '../remote/command.js'
import { required } from '../remote/flags.js'
import { safe, type Content } from '../remote/output.js'

type Impact = Schemas['Impact']
type Effect = Impact['Effects'][number]

/** Subjects that a line names. */
const MOST_NAMED = 10

const placeOf = ({ Namespace, Partition }: Effect['Rights'][number]): string => {
  const namespace = Namespace === '?' ? 'any namespace' : `namespace ${Namespace}`
  if (Partition !== 'default') return ` in ${namespace} of partition ${Partition}`
  return Namespace === 'default' ? '' : ` in ${namespace}`
}

const subjectText = ({ Kind, ID, Name, AuthMethod, Selector }: Effect['Subjects'][number]): string => {
  const id = ID.slice(0, 8)
  if (Kind !== 'binding rule') return Name === undefined ? `${Kind} ${id}` : `${Kind} ${Name} (${id})`
  const selected = Selector === undefined ? 'all' : Selector
  return `logins by ${AuthMethod ?? ''} as ${Name ?? ''} (binding rule ${id}: ${selected})`
}

const effectText = (
  { Datacenter, Tokens, Subjects, Rights }: Effect,
  datacenters: readonly string[]
): readonly string[] => {
  const named = Subjects.slice(0, MOST_NAMED).map(subjectText)
  const rules = Subjects.filter(({ Kind }) => Kind === 'binding rule').length
  const more = Tokens + rules - named.length
  const where = Datacenter === undefined ? '' : `In ${datacenterText(Datacenter, datacenters)}: `
  return [
    `${where}${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`,
    ...Rights.flatMap(right => {
      const on = `${right.Text}${placeOf(right)}`
      const lost = right.Lost.length === 0 ? [] : [`  - ${on}: ${right.Lost.join(', ')}`]
      return [...lost, ...(right.Gained.length === 0 ? [] : [`  + ${on}: ${right.Gained.join(', ')}`])]
    })
  ]
}

const recordedLines = (recorded: Impact['Recorded']): readonly string[] => {
  const text = recordedText(recorded)
  if (text === undefined) return []
  const asked = recorded.Changed.slice(0, MOST_NAMED).map(
    ({ Answer, AccessorID, Datacenter, Resource, Access, Segment, Extent, Count }) =>
      `  ${Answer}: ${Resource}:${Access} on "${Segment}${Extent === 'one' ? '' : '*'}" by ${AccessorID.slice(0, 8)}${Datacenter === undefined ? '' : ` in ${Datacenter}`}, ${Count} times`
  )
  return [text, ...asked]
}

/** Returns the tokens and logins with the rights that they lose (-) and gain (+). */
export const impactText =
  ({ Effects, Omitted = 0, Recorded, Datacenters }: Impact): Content =>
  ({ paint }) => {
    if (Effects.length === 0) return 'No token and no login gains or loses a right'
    const lines = Effects.flatMap(effect => effectText(effect, Datacenters)).map(line => {
      const text = safe(line)
      if (!line.startsWith('  ')) return text
      return paint(line.startsWith('  +') ? 'green' : 'red', text)
    })
    const more = Omitted > 0 ? [`${Omitted} more effects`] : []
    return [...lines, ...more, ...recordedLines(Recorded).map(safe)].join('\n')
  }

/** @param kind the command that it belongs to */
export const impactCommand = (kind: string) =>
  remoteCommand({
    summary: 'Show the rights that tokens and logins gain and lose by the changes of a file.',
    about:
      'The file declares resources, as for `annals apply`. Nothing is stored. It needs acl:read and the permissions of the changes.',
    examples: [`annals ${kind} impact web.hcl`, 'annals plan --impact config/      for a folder'],
    args: { file: required('file that declares resources, in HCL, JSON or YAML') },
    isRead: true,
    run: async ({ send, out, args }) => {
      const outcome = await dryRun(send, await readDeclarationFile(args.file), { impact: true })
      refuseRefused(outcome)
      if (outcome.Impact) out.show(outcome.Impact, impactText)
    }
  })
