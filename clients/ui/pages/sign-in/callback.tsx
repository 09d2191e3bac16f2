import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading, Refusal } from '../../design/index.js'
import { completeProviderSignIn } from '../../session/provider-sign-in.js'
import { useAction } from '../../session/use-action.js'

export const CallbackPage = () => {
  const { route } = useLocation()
  const { failure, run } = useAction()
  useEffect(() => {
    const parameters = new URLSearchParams(location.search)
    // The code must not stay in the browser history.
    history.replaceState(null, '', location.pathname)
    run(async () => {
      await completeProviderSignIn(parameters)
      route('/ui/', true)
    })
  }, [])
  return (
    <main class="resource">
      <Heading>Signing in</Heading>
      {failure === undefined ? (
        <p role="status">Waiting for the identity provider …</p>
      ) : (
        <>
          <Refusal text={failure} />
          <p>
            <a href="/ui/sign-in">Try again</a>
          </p>
        </>
      )}
    </main>
  )
}
