import { render, options, type VNode } from 'preact'
import './design/style/tokens.css'
import './design/style/layout.css'
import './design/style/forms.css'
import './design/style/content.css'
import './design/style/components.css'
import './design/style/mesh.css'
import './design/style/narrow.css'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { ErrorBoundary, lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { sectionPages } from './sections.js'
import { KeysHelp, showKeys, QuickOpenDialog, showQuickOpen } from './layout/dialogs.js'
import { Navigation } from './layout/navigation.js'
import { listen } from './keyboard.js'
import { CallbackPage, CodePage } from './pages/sign-in/callback.js'
import { announce, Heading, StatusAnnouncer } from './design/index.js'
import { CALLBACK, CODE_PAGE } from './session/provider-sign-in.js'
import { AsOf } from './time-travel/as-of.js'
import { withAsOf as carriedMoment, withAsOf } from './time-travel/as-of-state.js'
import { withTenancy } from './session/tenancy.js'
import type { Kind } from './resources/kind.js'

const isPage = (href: unknown): href is string => typeof href === 'string' && href.startsWith('/ui/')

const hasAddress = (props: unknown): props is { href: unknown } =>
  typeof props === 'object' && props !== null && 'href' in props

/** Must be called once, before the first rendering. */
const keepAsOf = (): void => {
  const before = options.vnode?.bind(options)
  options.vnode = (vnode: VNode) => {
    const { type, props } = vnode
    if (type === 'a' && hasAddress(props) && isPage(props.href)) props.href = withAsOf(props.href)
    before?.(vnode)
  }
}

const ResourcePage = lazy(async () => (await import('./pages/resource/resource-page.js')).ResourcePage)
const SignInPage = lazy(async () => (await import('./pages/sign-in.js')).SignInPage)

/** The key of the page is its resource and point in time, so that no state is carried over to another one. */
const OneOf = ({ kind }: { readonly kind: Kind }) => {
  const { path, query } = useLocation()
  const { key = '', ns = '', partition = '', node = '', at = '' } = query
  // It stays mounted while the next page is loaded, whose address names no resource.
  if (!path.endsWith('/one')) return null
  return <ResourcePage key={JSON.stringify([key, ns, partition, node, at])} kind={kind} />
}

/** Another component of a path would replace its page at each change of the address. */
const routes = sectionPages.flatMap(({ path, page, kind, further = [] }) => [
  { path, page },
  ...further,
  ...(kind ? [{ path: `${path}/one`, page: () => <OneOf kind={kind} /> }] : [])
])

/** Builds for production omit the page. */
const designPage = import.meta.env.DEV
  ? lazy(async () => (await import('./design/design-page.js')).DesignPage)
  : undefined

const Missing = () => (
  <main>
    <Heading>Page not found</Heading>
    <p>
      There is no page at this address. <a href="/ui/">Go to the overview</a>
    </p>
  </main>
)

const Page = () => {
  const { path, route } = useLocation()
  // A key that is pressed as soon as the page is visible counts.
  useLayoutEffect(
    () =>
      listen(sectionPages, {
        go: to => route(carriedMoment(withTenancy(to))),
        help: showKeys,
        open: showQuickOpen
      }),
    [route]
  )
  useEffect(() => announce(''), [path])
  return (
    <ErrorBoundary>
      <AsOf>
        <Router>
          <Route path="/ui/sign-in" component={SignInPage} />
          <Route path={CALLBACK} component={CallbackPage} />
          <Route path={CODE_PAGE} component={CodePage} />
          {routes.map(each => (
            <Route key={each.path} path={each.path} component={each.page} />
          ))}
          <Route path="/ui/design" component={designPage ?? Missing} />
          <Route default component={Missing} />
        </Router>
      </AsOf>
    </ErrorBoundary>
  )
}

const App = () => (
  <LocationProvider scope="/ui">
    <Navigation />
    <Page />
    <StatusAnnouncer />
    <KeysHelp />
    <QuickOpenDialog />
  </LocationProvider>
)

keepAsOf()
// The previous page stays visible.
addEventListener('vite:preloadError', () =>
  announce(
    'The page could not be loaded, because the server is unreachable or was upgraded. Reload the page.'
  )
)
render(<App />, document.body)
