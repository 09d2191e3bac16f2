// Counts changes per accessor: `node dist/library/examples/changes.js ./data 2026-11-16` prints those since that day.
import { pathToFileURL } from 'node:url'
import { openLog, project, type ReadableLog } from 'annals'

/** The number of changes per topic and accessor. The key of the server's own changes is `''`. */
type Changes = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts the changes in all commits at or after a time. */
export const changesSince = async (log: ReadableLog, since: Date): Promise<Changes> => {
  const changes: Record<string, Record<string, number>> = {}
  for await (const { Time, By, Events } of log.commits()) {
    if (Date.parse(Time) < since.getTime()) continue
    for (const { Topic } of Events) {
      const byAccessor = (changes[Topic] ??= {})
      byAccessor[By.AccessorID] = (byAccessor[By.AccessorID] ?? 0) + 1
    }
  }
  return changes
}

interface Policies {
  /** Rules by the name of the policy. */
  readonly rules: Readonly<Record<string, string>>
}

/** Projects the rules of all policies at each commit that changed them. */
export const policies = project<Policies>({
  initial: { rules: {} },
  on: {
    'ACLPolicy.ACLPolicyUpserted': (draft, { Payload: { ACLPolicy } }) => {
      draft.rules[ACLPolicy.Name] = ACLPolicy.Rules
    },
    'ACLPolicy.ACLPolicyDeleted': (draft, { Payload: { ACLPolicy } }) => {
      delete draft.rules[ACLPolicy.Name]
    }
  }
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = './data', since = '1970-01-01'] = process.argv.slice(2)
  const log = await openLog(folder)
  console.table(await changesSince(log, new Date(since)))
  for (const { commit, patches } of (await policies.timeline(log)).steps)
    console.log(commit.Index, commit.Time, JSON.stringify(patches))
  await log.close()
}
