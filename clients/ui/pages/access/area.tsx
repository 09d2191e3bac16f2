// Who may do what.
import type { FunctionComponent } from 'preact'
import { lazy } from 'preact-iso'
import type { Area, Place } from '../../area.js'
import { accessKinds } from '../../things/kinds/access.js'
import { listPlace } from '../list-place.js'
import { AccessList } from './list-page.js'

const ExplainPage = lazy(async () => (await import('./explain.js')).ExplainPage)
const NewTokenPage = lazy(async () => (await import('./new-pages.js')).NewTokenPage)
const NewPolicyPage = lazy(async () => (await import('./new-pages.js')).NewPolicyPage)
const NewRolePage = lazy(async () => (await import('./new-pages.js')).NewRolePage)
const NewAuthMethodPage = lazy(async () => (await import('./new-pages.js')).NewAuthMethodPage)
const NewBindingRulePage = lazy(async () => (await import('./new-pages.js')).NewBindingRulePage)

/** Where one of a kind is made, by the path of the kind. */
const MAKERS: Readonly<Record<string, FunctionComponent>> = {
  tokens: NewTokenPage,
  policies: NewPolicyPage,
  roles: NewRolePage,
  'auth-methods': NewAuthMethodPage,
  'binding-rules': NewBindingRulePage
}

const places: readonly Place[] = accessKinds.map(kind => {
  const page = MAKERS[kind.path]
  return {
    ...listPlace(kind),
    page: () => <AccessList key={kind.path} kind={kind} />,
    ...(page ? { further: [{ path: `/ui/${kind.path}/new`, page }] } : {})
  }
})

export const access: Area = {
  title: 'Access',
  places: [...places, { path: '/ui/explain', title: 'Explain a denial', key: 'd', page: ExplainPage }]
}
