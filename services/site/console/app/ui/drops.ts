/** Whether a field takes the files itself: the box of several files has done so, and a field for one file will. */
const isTaken = (event: DragEvent) =>
  event.defaultPrevented || (event.target instanceof HTMLInputElement && event.target.type === 'file')

function refuse(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes('Files') || isTaken(event)) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}

/** A file that is dropped beside a field does not replace the page. */
export function refuseDropsBesideFields(): void {
  addEventListener('dragover', refuse)
  addEventListener('drop', refuse)
}
