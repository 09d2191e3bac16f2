// Runs an action on submit: <ActionForm class="choices" action={async () => …}>{isRunning => <button disabled={isRunning}>Run</button>}</ActionForm>
import type { ComponentChildren } from 'preact'
import { useAction } from '../session/use-response.js'
import { Refusal } from './notice.js'

interface Props {
  readonly class?: string
  /** @param data the named inputs of the form */
  readonly action: (data: FormData) => Promise<void>
  readonly children: ComponentChildren | ((isRunning: boolean) => ComponentChildren)
}

export const ActionForm = ({ class: className, action, children }: Props) => {
  const { failure, isRunning, run } = useAction()
  return (
    <>
      <form
        class={className}
        onSubmit={event => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          run(() => action(data))
        }}
      >
        {typeof children === 'function' ? children(isRunning) : children}
      </form>
      <Refusal text={failure} />
    </>
  )
}
