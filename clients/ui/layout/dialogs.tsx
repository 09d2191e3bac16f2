// The dialog with the keyboard shortcuts, which `?` opens. Users of speech input can turn single-letter keys off there.
import { signal } from '@preact/signals'
import { sections } from '../sections.js'
import { areKeysUsed, setKeysUsed } from '../keyboard.js'
import { Button, CheckField, Dialog } from '../design/index.js'
import { ErrorBoundary, lazy } from 'preact-iso'

const QuickOpen = lazy(async () => (await import('./quick-open.js')).QuickOpen)

const isQuickOpen = signal(false)

export const showQuickOpen = (): void => {
  isQuickOpen.value = true
}

const close = (): void => {
  isQuickOpen.value = false
}

export const QuickOpenDialog = () => (
  <Dialog title="Go to" isOpen={isQuickOpen.value} close={close}>
    <ErrorBoundary>
      <QuickOpen close={close} />
    </ErrorBoundary>
  </Dialog>
)

const isOpen = signal(false)

export const showKeys = (): void => {
  isOpen.value = true
}

const GENERAL: readonly (readonly [string, string])[] = [
  ['/', 'Search this page'],
  ['.', 'Open the command palette (also Ctrl K or ⌘ K)'],
  ['?', 'Show keyboard shortcuts'],
  ['Esc', 'Close']
]

export const KeysHelp = () => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen.value} close={() => (isOpen.value = false)}>
    <p>
      <CheckField label="Use single-letter shortcuts" value={areKeysUsed.value} change={setKeysUsed} />
    </p>
    <div class="keys">
      <section aria-label="Everywhere">
        <h3>Everywhere</h3>
        {GENERAL.map(([key, effect]) => (
          <p key={key}>
            <kbd>{key}</kbd> {effect}
          </p>
        ))}
      </section>
      {sections.map(({ title, places }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          {places.map(place => (
            <p key={place.path}>
              <kbd>g</kbd> <kbd>{place.key}</kbd> {place.title}
            </p>
          ))}
        </section>
      ))}
    </div>
    <footer>
      <Button label="Close" act={() => (isOpen.value = false)} />
    </footer>
  </Dialog>
)
