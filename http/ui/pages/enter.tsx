// Where a token is given.
import { useState } from 'preact/hooks'
import { Heading } from '../parts/heading.js'
import { enter } from '../session/session.js'

export const EnterPage = () => {
  const [failure, setFailure] = useState<string>()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const secret = given.get('token')
    if (typeof secret !== 'string') return
    enter(secret.trim(), given.has('keep')).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error))
    )
  }
  return (
    <main>
      <Heading>Who are you?</Heading>
      <form onSubmit={submit} class="enter">
        <label>
          Secret of a token
          <input name="token" type="password" required autocomplete="off" />
        </label>
        <label class="check">
          <input name="keep" type="checkbox" /> Keep it until this tab is closed
        </label>
        <button type="submit">Enter</button>
        {failure && (
          <p role="alert" class="refused">
            {failure}
          </p>
        )}
      </form>
    </main>
  )
}
