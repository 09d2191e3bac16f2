// The section page of a kind that is shown as a plain list.
import type { SectionPage } from '../section.js'
import type { Kind } from '../resources/kind.js'
import { ResourceListPage } from './resource-list-page.js'

export const listSectionPage = (kind: Kind): SectionPage => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page: () => <ResourceListPage key={kind.path} kind={kind} />,
  kind
})
