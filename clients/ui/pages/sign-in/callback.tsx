import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading, Refusal } from '../../design/index.js'
import { completeProviderSignIn, signInWithCode } from '../../session/provider-sign-in.js'
import { useAction } from '../../session/use-response.js'

interface SigningInProps {
  readonly waiting: string
  readonly complete: (address: { readonly search: string; readonly hash: string }) => Promise<void>
}

/** Completes a sign-in with a code of its address. */
const SigningIn = ({ waiting, complete }: SigningInProps) => {
  const { route } = useLocation()
  const { failure, run } = useAction()
  useEffect(() => {
    const { search, hash } = location
    // The code must not stay in the browser history.
    history.replaceState(null, '', location.pathname)
    run(async () => {
      await complete({ search, hash })
      route('/ui/', true)
    })
  }, [])
  return (
    <main class="resource">
      <Heading>Signing in</Heading>
      {failure === undefined ? (
        <p role="status">{waiting}</p>
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

export const CallbackPage = () => (
  <SigningIn
    waiting="Waiting for the identity provider …"
    complete={({ search }) => completeProviderSignIn(new URLSearchParams(search))}
  />
)

/** The page that `annals ui` opens. */
export const CodePage = () => (
  <SigningIn waiting="Exchanging the sign-in code …" complete={({ hash }) => signInWithCode(hash.slice(1))} />
)
