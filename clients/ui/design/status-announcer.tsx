// announce('Saved.') shows a status that screen readers read, until the next message or page. Refusal shows failures.
import { Button } from './button.js'
import { signal } from '@preact/signals'

const message = signal('')

/** An empty text clears the line. */
export const announce = (text: string): void => {
  message.value = text
}

/** Is rendered once, in the layout. */
export const StatusAnnouncer = () => (
  <div class="said" role="status">
    {message.value !== '' && (
      <p>
        {message.value}
        <Button label="Dismiss" act={() => announce('')} class="plain" />
      </p>
    )}
  </div>
)
