import { writeFile } from 'node:fs/promises'
import { impactText } from '../acl/impact.js'
import { UsageError, Failed } from '../console.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { on, required, text, type FlagDefinitions, type FlagValues } from '../remote/flags.js'
import { dryRun, planOf, planText, refuseRefused, type ChangePlan, type Outcome } from './change-plan.js'
import { readDeclarations } from './declared-files.js'
import { outcomeText, summaryOf } from './plan-text.js'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const runFile = promisify(execFile)
/** Characters of a reason. */
const LONGEST = 512
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu

/** Returns the git commit of a folder as the reason for its changes: `git 1a2b3c4d: Subject`; undefined outside a repository. */
const gitReason = async (folder: string): Promise<string | undefined> => {
  try {
    const { stdout } = await runFile('git', ['-C', folder, 'log', '-1', '--format=%h: %s'])
    return `git ${stdout.trim()}`.replaceAll(UNPRINTABLE, ' ').slice(0, LONGEST)
  } catch {
    return undefined
  }
}

/** The exit code of a plan with changes. */
const CHANGES = 2
/** A plan contains the values of keys. */
const PRIVATE = 0o600

export const ownerFlags = {
  owner: text('label', 'owner label of the declared resources'),
  prune: on('delete the resources of the --owner that the files do not declare')
} satisfies FlagDefinitions

/** @throws UsageError if there is a prune without an owner */
const checkPrune = ({
  owner,
  prune
}: {
  readonly owner: string | undefined
  readonly prune: boolean
}): void => {
  if (prune && owner === undefined)
    throw new UsageError('--prune needs --owner: it deletes only resources of that label')
}

interface PlanRun extends Pick<Run, 'send' | 'out' | 'reason'> {
  readonly flags: FlagValues<typeof ownerFlags> & { readonly impact?: boolean }
}

/** Prints the changes of a folder, and returns them as a plan. @throws UsageError; Failed for a refused change */
export const planFolder = async (
  { send, out, flags, reason }: PlanRun,
  folder: string
): Promise<{ readonly outcome: Outcome; readonly plan: ChangePlan }> => {
  checkPrune(flags)
  const declarations = await readDeclarations(folder)
  const outcome = await dryRun(send, declarations, flags)
  if (out.isData) out.data(outcome)
  else {
    out.print(outcomeText(outcome))
    if (outcome.Impact) out.print(impactText(outcome.Impact))
  }
  refuseRefused(outcome)
  return { outcome, plan: planOf(outcome, declarations, reason ?? (await gitReason(folder))) }
}

export const plan = remoteCommand({
  summary: 'Compare files that declare resources with the server.',
  about:
    'Reads the HCL, JSON and YAML files of a folder, and shows the changes that `annals apply` would make, validated by the server.\nExit codes: 0 for no changes, 2 for changes, 1 for errors.',
  examples: [
    'annals plan config/',
    'annals plan -owner platform -prune config/      with deletions',
    'annals plan -impact config/                     with the rights that tokens gain and lose',
    'annals plan -out plan.json config/              for annals apply plan.json',
    'annals plan -watch config/                      as a check for drift'
  ],
  args: { folder: required('folder with the files') },
  flags: {
    ...ownerFlags,
    impact: on('also show the rights that tokens and logins gain and lose; needs acl:read'),
    out: text('file', 'write the plan to this file')
  },
  isRead: true,
  run: async run => {
    const { args, flags } = run
    const { outcome, plan: planned } = await planFolder(run, args.folder)
    if (flags.out !== undefined) await writeFile(flags.out, planText(planned), { mode: PRIVATE })
    if (planned.Steps.length > 0) throw new Failed(summaryOf(outcome), CHANGES)
  }
})
