function a({seats:n,open_table:e}){return n.filter((t,r)=>!e||!o(t,r))}function o(n,e){return e>0&&n===`Seat ${e+1}`}export{a,o as b};
