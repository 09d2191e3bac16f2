// Where somebody says who they are: by the secret of a token, or by a login.
import { useLocation } from 'preact-iso'
import { signIn } from '../session/session.js'
import { useAction } from '../session/use-action.js'
import { Heading } from '../components/heading.js'
import { Refusal } from '../components/notice.js'
import { SignInForm } from './sign-in/sign-in-form.js'

export const SignInPage = () => {
  const { failure, run } = useAction()
  const { route } = useLocation()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    const secret = form.get('token')
    if (typeof secret !== 'string') return
    run(async () => {
      await signIn(secret.trim(), form.has('keep'))
      route('/ui/')
    })
  }
  return (
    <main class="resource">
      <Heading>Who are you?</Heading>
      <section aria-labelledby="by-token">
        <h2 id="by-token">By a token</h2>
        <form onSubmit={submit} class="enter">
          <label>
            Secret of a token
            <input name="token" type="password" required autocomplete="off" />
          </label>
          <label class="check">
            <input name="keep" type="checkbox" /> Keep it until this tab is closed
          </label>
          <p>
            <button type="submit" class="primary">
              Enter
            </button>
          </p>
          <Refusal text={failure} />
        </form>
      </section>
      <SignInForm />
    </main>
  )
}
