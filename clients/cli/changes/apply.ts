import { readFile, stat, writeFile } from 'node:fs/promises'
import { messageOf } from '../../../events/errors.js'
import { reasonValue } from '../../typescript/connection.js'
import { RequestRefused } from '../../typescript/failures.js'
import { UsageError, Failed, readable } from '../console.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { required } from '../remote/flags.js'
import { safe, type Output } from '../remote/output.js'
import { parsePlan, sendChanges, type ChangePlan, type Outcome } from './change-plan.js'
import type { Change, Declaration } from './declarations.js'
import { ownerFlags, planFolder } from './plan.js'
import { summaryOf } from './plan-text.js'

/** A sink contains a secret. */
const PRIVATE = 0o600

/** Reads the secret of a token. @throws UsageError */
const withSecret = async ({ change, secretFile }: Declaration): Promise<Change> => {
  if (secretFile === undefined || change.Delete === true) return change
  const what = `secret_file of token ${change.Name}: ${secretFile}`
  const SecretID = (await readable(what, readFile(secretFile, 'utf8'))).trim()
  return { ...change, Body: { ...change.Body, SecretID } }
}

interface Wave {
  readonly name: string
  readonly steps: readonly Declaration[]
}

/** Returns the steps in groups that fit into a commit. Each begins a valid state, because of the order of the plan. */
const wavesOf = ({ Steps, Limit }: ChangePlan): readonly Wave[] => {
  const count = Math.ceil(Steps.length / Limit)
  return Array.from({ length: count }, (_, at) => {
    const steps = Steps.slice(at * Limit, (at + 1) * Limit)
    const kinds = [...new Set(steps.map(({ change: { Kind } }) => Kind))].join(', ')
    return { steps, name: count === 1 ? kinds : `wave ${at + 1} of ${count} (${kinds})` }
  })
}

/** Writes the generated secrets of created tokens to their sinks. */
const storeSecrets = async ({ Changes }: Outcome, { steps }: Wave, out: Output): Promise<void> => {
  for (const { SecretID, Position, Name } of Changes) {
    const step = Position === undefined ? undefined : steps[Position]
    if (SecretID === undefined || !step || step.secretFile !== undefined) continue
    if (step.secretSink === undefined)
      out.note(safe(`The secret of token ${Name} has no secret_sink: annals token read shows it`))
    else await writeFile(step.secretSink, `${SecretID}\n`, { mode: PRIVATE })
  }
}

/** The kinds that grant permissions. */
const RIGHTS: ReadonlySet<string> = new Set([
  'namespace',
  'policy',
  'role',
  'auth-method',
  'binding-rule',
  'token'
])
/** Number of named changes in a list. */
const MOST_NAMED = 10

const namesOf = (changes: readonly { readonly Kind: string; readonly Name: string }[]): string => {
  const named = changes.slice(0, MOST_NAMED).map(({ Kind, Name }) => `${Kind} ${Name}`)
  const more = changes.length - named.length
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Returns a line for the changes of rights that hold until the next wave, and one for the pending ones. */
const rightsBetween = ({ Changes }: Outcome, later: readonly Wave[]): readonly string[] => {
  const stored = Changes.filter(({ Kind, Action }) => RIGHTS.has(Kind) && Action !== 'none')
  const pending = later
    .flatMap(({ steps }) => steps.map(({ change }) => change))
    .filter(({ Kind }) => RIGHTS.has(Kind))
  return [
    ...(stored.length === 0 ? [] : [`  Rights that changed: ${namesOf(stored)}`]),
    ...(pending.length === 0 ? [] : [`  Rights that have yet to change: ${namesOf(pending)}`])
  ]
}

/** Sends a plan in waves. @throws as the first request; Failed of a later wave */
const execute = async (
  { send, out, reason }: Pick<Run, 'send' | 'out' | 'reason'>,
  plan: ChangePlan
): Promise<void> => {
  const { ID, Owner, Reason } = plan
  const headers =
    reason === undefined && Reason !== undefined ? { 'X-Service-Reason': reasonValue(Reason) } : {}
  const waves = wavesOf(plan)
  for (const [at, wave] of waves.entries()) {
    const Changes = await Promise.all(wave.steps.map(withSecret))
    try {
      const idempotencyKey = `${ID}/${at + 1}`
      const outcome = await sendChanges(send, { ID, Owner, Changes }, { headers, idempotencyKey })
      await storeSecrets(outcome, wave, out)
      out.note(
        safe(`Commit ${outcome.Index ?? 'none'}: ${wave.name}, ${summaryOf(outcome).replaceAll(' to ', ' ')}`)
      )
      if (at < waves.length - 1)
        for (const line of rightsBetween(outcome, waves.slice(at + 1))) out.note(safe(line))
    } catch (error) {
      if (at === 0) throw error
      const failed = error instanceof RequestRefused ? 'was refused' : 'failed'
      throw new Failed(`${wave.name} ${failed}, and the waves before are stored: ${messageOf(error)}`)
    }
  }
  out.note(`Success! Change set ${ID} is applied`)
}

export const apply = remoteCommand({
  summary: 'Make the changes of a plan, or of files that declare resources.',
  about:
    'Stores the changes as one commit, or above limits.txn_max_ops in several. A resource that changed since the plan stops all. You can\nrepeat the command: it continues where it stopped. The default of --reason is the git commit of the folder.',
  examples: [
    'annals apply config/',
    'annals apply -owner platform -prune config/',
    'annals apply -reason OPS-7 plan.json            written by annals plan --out'
  ],
  args: { source: required('folder with the files, or a plan') },
  flags: ownerFlags,
  run: async run => {
    const { out, args, flags } = run
    if (!(await readable(args.source, stat(args.source))).isDirectory()) {
      if (flags.owner !== undefined || flags.prune)
        throw new UsageError('--owner and --prune are those of the plan')
      const plan = parsePlan(await readFile(args.source, 'utf8'), args.source)
      if (plan.Steps.length > 0) return execute(run, plan)
      return out.note('No changes: the plan is empty')
    }
    const { plan } = await planFolder(run, args.source)
    if (plan.Steps.length > 0) await execute(run, plan)
  }
})
