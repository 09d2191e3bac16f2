// The home page: problems, the newest changes, and the state of the log.
import { Heading } from '../../design/index.js'
import { isSignedIn } from '../../session/session.js'
import { usePermission } from '../../session/use-response.js'
import { LogSummary } from './log-summary.js'
import { Problems } from './problems.js'
import { RecentChanges } from './recent-changes.js'

const EVERYWHERE = { ns: undefined, partition: undefined }

export const OverviewPage = () => {
  const mayOperate = usePermission('read', 'operator', EVERYWHERE)
  const mayReadTokens = usePermission('read', 'acl', EVERYWHERE)
  return (
    <main class="resource">
      <Heading>Overview</Heading>
      {!isSignedIn.value && (
        <p class="choices">
          <a class="button primary" href="/ui/sign-in">
            Sign in
          </a>
          <span class="quiet">Without a token, the pages show what everyone may read.</span>
        </p>
      )}
      <Problems mayOperate={mayOperate} mayReadTokens={mayReadTokens} />
      {mayOperate === true && (
        <>
          <RecentChanges />
          <LogSummary />
        </>
      )}
      {mayOperate === false && (
        <p class="quiet">
          Recent changes, the log and servers are visible to this token with operator:read. See{' '}
          <a href="/ui/events">events</a> for what it may read.
        </p>
      )}
    </main>
  )
}
