// The page that was asked for comes as soon as the device is online again, or the service can be reached.
const PAUSE = 5_000;
const again = () => location.reload();

addEventListener("online", again);
if (navigator.onLine) setTimeout(again, PAUSE);
