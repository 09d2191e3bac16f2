// Runs an action on submit: <ActionForm class="choices" action={async () => …}>{isRunning => <button disabled={isRunning}>Run</button>}</ActionForm>
import type { ComponentChildren } from 'preact'
import { useAction } from '../session/use-action.js'
import { Refusal } from './notice.js'

interface Props<T> {
  readonly class?: string
  /** @param data the named inputs of the form */
  readonly action: (data: FormData) => Promise<T>
  /** Is given the result, unless the form was submitted again. */
  readonly show?: (result: T) => void
  readonly children: ComponentChildren | ((isRunning: boolean) => ComponentChildren)
}

export const ActionForm = <T,>({ class: className, action, show, children }: Props<T>) => {
  const { failure, isRunning, run } = useAction()
  return (
    <>
      <form
        class={className}
        onSubmit={event => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          run(() => action(data), show)
        }}
      >
        {typeof children === 'function' ? children(isRunning) : children}
      </form>
      <Refusal text={failure} />
    </>
  )
}
