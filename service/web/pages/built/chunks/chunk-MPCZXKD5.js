function a({seats:e,open_table:n}){return e.filter((t,r)=>!n||!o(t,r))}function o(e,n){return e===`Seat ${n+1}`}export{a,o as b};
