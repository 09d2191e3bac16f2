import { Heading } from '../../components/heading.js'
import { RecentChanges } from './recent-changes.js'

export const OverviewPage = () => (
  <main class="resource">
    <Heading>Overview</Heading>
    <RecentChanges />
  </main>
)
